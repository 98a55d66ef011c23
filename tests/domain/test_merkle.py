"""Merkle trees over records: RFC 6962, with the roots that its authors' implementation publishes."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.domain.release.merkle import Tree, root_of_roots

# Of the certificate-transparency project's reference tree: its eight leaves, and the root over the first n.
LEAVES = [
    bytes.fromhex(leaf)
    for leaf in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)


def root(records: list[bytes]) -> str:
    tree = Tree()
    tree.extend(records)
    return tree.root()


@pytest.mark.parametrize("n", range(1, 9))
def test_the_root_is_that_of_the_reference_tree(n):
    assert root(LEAVES[:n]) == ROOTS[n - 1]


def test_no_record_has_the_hash_of_nothing():
    assert root([]) == sha256(b"").hexdigest()


def defined(records: list[bytes]) -> bytes:
    """The definition of the RFC: split at the largest power of two that is less than the number of records."""
    if len(records) == 1:
        return sha256(b"\0" + records[0]).digest()
    half = 1 << (len(records) - 1).bit_length() - 1
    return sha256(b"\1" + defined(records[:half]) + defined(records[half:])).digest()


@given(st.lists(st.lists(st.binary(max_size=4), max_size=9), max_size=12))
def test_in_whatever_pieces_they_come_the_root_is_the_same(pieces):
    tree = Tree()
    for piece in pieces:
        tree.extend(piece)
    assert tree.root() == root([record for piece in pieces for record in piece])


@given(st.lists(st.binary(max_size=4), min_size=1, max_size=70))
def test_one_after_the_other_gives_what_the_definition_gives(records):
    assert root(records) == defined(records).hex()


@given(st.lists(st.binary(max_size=4), min_size=1, max_size=20), st.data())
def test_any_change_of_a_record_changes_the_root(records, data):
    place = data.draw(st.integers(0, len(records) - 1))
    other = [*records[:place], records[place] + b"x", *records[place + 1 :]]
    assert root(other) != root(records)


def test_the_root_of_files_depends_on_their_names_and_not_on_their_order():
    roots = {"data/b": ROOTS[0], "data/a": ROOTS[1]}
    assert root_of_roots(roots) == root_of_roots(dict(reversed(roots.items())))
    assert root_of_roots(roots) != root_of_roots({"data/a": ROOTS[0], "data/b": ROOTS[1]})
