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
limits        which of the numbers are too large
"""

from curation.domain.audit.fingerprints import Fingerprint
from curation.domain.audit.limits import Excess, Limits, exceeded
from curation.domain.audit.report import Audit, audit
from curation.domain.audit.rows import Joined, PairRow

__all__ = ["Audit", "Excess", "Fingerprint", "Joined", "Limits", "PairRow", "audit", "exceeded"]
