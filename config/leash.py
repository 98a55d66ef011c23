"""python leash.py SIGNAL USER COMMAND...: becomes COMMAND, which is sent SIGNAL when its parent ends.

A program of its own instead of a preexec_fn, which may hang in a process with threads. USER may be empty;
root gives up its rights before the kernel is asked, since a change of user cancels the request.
"""

import ctypes
import os
import pwd
import sys

PR_SET_PDEATHSIG = 1


def main(number: str, user: str, *command: str) -> None:
    parent = os.getppid()
    if user:
        account = pwd.getpwnam(user)
        os.setgroups([])
        os.setgid(account.pw_gid)
        os.setuid(account.pw_uid)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(number))
    if os.getppid() == parent:
        os.execvp(command[0], command)


main(*sys.argv[1:])
