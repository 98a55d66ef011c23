"""The signal audit of accepted pairs, and the limits that a project sets it.

rows          what is audited: both texts of each pair, and where they come from
report        `audit`, and what it finds
surface       what a program sees of a text without reading it
baselines     guesses by one thing alone
logistic      a guess by all of the surface, of prompts not seen before
shares        how often guesses are right, with intervals
families      which models stand among the chosen and the rejected
copies        the same texts, and nearly the same ones; fingerprints: what is kept of earlier releases
leaks         texts that name a model
found         the numbers that limits are set to
limits        which of them are too large
record        what a release keeps of it all

The last three load nothing that computes, and so may be imported by pages; nothing is imported here for their sake.
"""
