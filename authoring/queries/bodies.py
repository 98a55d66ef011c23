"""What a server is sent for a request, whoever sends it: a worker, or somebody elsewhere from a batch file."""

from typing import Any

from authoring.models import PlanSource


def body_of(source: PlanSource, asked: str) -> dict[str, Any]:
    """All of it but the key."""
    plan = source.plan
    messages = [{"role": "system", "content": plan.instruction}] if plan.instruction else []
    return {
        **source.extra,
        "model": source.model,
        "messages": [*messages, {"role": "user", "content": asked}],
        "temperature": float(plan.temperature),
        source.length_parameter: plan.max_tokens,
    }
