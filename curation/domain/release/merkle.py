"""A Merkle tree over the records of a file, as RFC 6962 (section 2.1) has it: that one record is of a release can be
shown without the others. Only the standard library is used: who verifies a release takes this along."""

from hashlib import sha256

LEAF, NODE = b"\0", b"\1"  # so that no record can pass for an inner node


class Tree:
    """Takes records one after the other; in memory are the roots of complete subtrees alone, log2(n) of them."""

    def __init__(self) -> None:
        self._complete: list[bytes] = []  # the largest first
        self._n = 0

    def add(self, record: bytes) -> None:
        node = sha256(LEAF + record).digest()
        n = self._n
        while n & 1:
            node = sha256(NODE + self._complete.pop() + node).digest()
            n >>= 1
        self._complete.append(node)
        self._n += 1

    def root(self) -> str:
        """In hexadecimal; of no record the SHA-256 of nothing."""
        if not self._complete:
            return sha256().hexdigest()
        *others, node = self._complete
        for left in reversed(others):
            node = sha256(NODE + left + node).digest()
        return node.hex()


def root_of_roots(roots: dict[str, str]) -> str:
    """The root over files, each a record of its path, a blank and its own root, sorted by path as bytes."""
    tree = Tree()
    for path in sorted(roots, key=str.encode):
        tree.add(f"{path} {roots[path]}".encode())
    return tree.root()
