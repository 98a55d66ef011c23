"""A Merkle tree over the records of a file, as RFC 6962 (section 2.1) has it: that one record is of a release can be
shown without the others. Only the standard library is used: who verifies a release takes this along."""

from collections.abc import Iterable
from hashlib import sha256

LEAF, NODE = b"\0", b"\1"  # so that no record can pass for an inner node


class Tree:
    """Takes records in their order. In memory is at most one node of each level: the one that waits for its sibling."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []  # by level, the leaves' first; b"" where none waits

    def extend(self, records: Iterable[bytes]) -> None:
        nodes = [sha256(LEAF + record).digest() for record in records]
        level = 0
        while nodes:
            if level == len(self._waiting):
                self._waiting.append(b"")
            if self._waiting[level]:
                nodes.insert(0, self._waiting[level])
            self._waiting[level] = nodes.pop() if len(nodes) & 1 else b""
            each = iter(nodes)
            nodes = [sha256(NODE + left + right).digest() for left, right in zip(each, each, strict=True)]
            level += 1

    def root(self) -> str:
        """In hexadecimal; of no record the SHA-256 of nothing."""
        node = b""
        for left in filter(None, self._waiting):
            node = sha256(NODE + left + node).digest() if node else left
        return node.hex() or sha256().hexdigest()


def root_of_roots(roots: dict[str, str]) -> str:
    """The root over files, each a record of its path, a blank and its own root, sorted by path as bytes."""
    tree = Tree()
    tree.extend(f"{path} {roots[path]}".encode() for path in sorted(roots, key=str.encode))
    return tree.root()
