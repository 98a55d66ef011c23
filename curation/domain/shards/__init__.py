"""One curation in shards: prompts are divided by a hash of their ids, and what each part leaves is merged.

All rules but two look at one prompt; length symmetry and the quota look at every pair. So a part is decided alone
(work), what passed is kept as bytes (parts) beside how many did not (tallies), and the merge decides the rest
without ever holding more than one part: it gives the pairs that pairing.curate gives of the whole.
"""
