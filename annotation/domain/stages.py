"""The way of an annotator from invitation to work. What a person may do follows from the stage and nothing else."""

from collections.abc import Collection

INVITED, SCREENING, EXAM, TRAINING = "invited", "screening", "exam", "training"
CALIBRATION, ACTIVE, PAUSED, DECLINED = "calibration", "active", "paused", "declined"
WAY = (INVITED, SCREENING, EXAM, TRAINING, CALIBRATION, ACTIVE)
PREPARING = (SCREENING, EXAM, TRAINING, CALIBRATION)  # each of them may be left out by a project

# Purposes of rounds whose texts are given to somebody at a stage. Who works is calibrated again without a break.
PREPARATORY = frozenset({"exam", "training", "calibration"})
WORK = frozenset({"live", "repeat", "gold", "validation", "adjudication"})
_GIVEN = {
    EXAM: frozenset({"exam"}),
    TRAINING: frozenset({"training"}),
    CALIBRATION: frozenset({"calibration"}),
    ACTIVE: WORK | {"calibration"},
}


def may(stage: str, purpose: str) -> bool:
    """Whether texts of a round of that purpose are given to somebody at that stage."""
    return purpose in _GIVEN.get(stage, frozenset())


def stages_for(purpose: str) -> frozenset[str]:
    """The stages at which texts of such a round are given."""
    return frozenset(stage for stage in _GIVEN if may(stage, purpose))


def following(stage: str, uses: Collection[str]) -> str:
    """The next stage on the way, leaving out those of PREPARING that the project does not use."""
    later = WAY[WAY.index(stage) + 1 :]
    return next(each for each in later if each not in PREPARING or each in uses)


def has_passed(stage: str, passed: str) -> bool:
    """Whether `passed` lies behind somebody at `stage`. Paused and declined are on no way."""
    return stage in WAY and WAY.index(stage) > WAY.index(passed)
