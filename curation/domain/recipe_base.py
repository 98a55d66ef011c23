"""What all recipes have in common: a list of rules, written flat as parameters or as JSON of the list itself.

How lists are read, and what they may be, is said in recipes.py.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from annotation.domain.sentences import say
from curation.domain.recipe_values import RecipeError, as_json, quoted, read, unknown
from curation.domain.rules import Kind, Rule

PARTS = ("name", "version", "rules", "settings", "parameters")
PARTS_OF_RULE = ("rule", "version", "parameters")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What all recipes have in common.

    `order` are the names of the rules, or () where the list is the shipped one. A rule with a switch (rules.Rule) is
    off where that parameter is None or False. `all_rules` are those there are, in the shipped order; of `one_of` a
    list holds at least one; `settings` are the parameters that belong to no rule; `neutral` is what a parameter is
    where its rule is left out, if not its default.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    all_rules: ClassVar[tuple[type[Rule], ...]]
    settings: ClassVar[tuple[str, ...]]
    one_of: ClassVar[tuple[str, ...]] = ()
    any_order: ClassVar[bool] = False  # of the rules on single candidates
    neutral: ClassVar[Mapping[str, object]] = {}

    order: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Bring list and switches together, so that recipes which say the same are equal."""
        if not self.order:
            return
        self._check(self.order)
        shipped = [rule.name for rule in self.all_rules if self._is_on(rule)]
        listed = [name for name in self.order if name in shipped]
        switched = [rule.name for rule in self.all_rules if rule.switch and rule.name in shipped]
        names = self._in_order([*listed, *(name for name in switched if name not in listed)])
        for rule in self.all_rules:
            if rule.name not in names:
                self._neutralise(rule)
        object.__setattr__(self, "order", () if names == shipped else tuple(names))

    def rules(self) -> tuple[Rule, ...]:
        """The rules that it holds, in their order."""
        kinds = {rule.name: rule for rule in self.all_rules}
        names = self.order or [rule.name for rule in self.all_rules if self._is_on(rule)]
        return tuple(self._made(kinds[name]) for name in names)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons that its funnel names, in the order in which they are tried."""
        return self._named([rule for rule in self.all_rules if rule.kind is not Kind.FILTER])

    @property
    def filters(self) -> tuple[str, ...]:
        """Why a response forms no candidate, in the order in which it is tried."""
        return self._named([rule for rule in self.all_rules if rule.kind is Kind.FILTER])

    def parameters(self) -> dict[str, object]:
        """The parameters as JSON values that from_parameters reads back: fractions as texts like "3/2", moments as
        ISO 8601 in UTC. Of the shipped list it is every parameter; of another the list, those of its rules, and the
        settings."""
        if not self.order:
            return {name: as_json(getattr(self, name)) for name in _parameters(type(self))}
        names = [*(name for rule in self.rules() for name in rule.parameters()), *self.settings]
        return {"rules": list(self.order), **{name: as_json(getattr(self, name)) for name in names}}

    def as_dict(self) -> dict[str, object]:
        """The list of rules as JSON values, which from_dict reads back."""
        return {
            "name": self.name,
            "version": self.version,
            "rules": [rule.as_dict() for rule in self.rules()],
            "settings": {name: as_json(getattr(self, name)) for name in self.settings},
        }

    @classmethod
    def from_parameters(cls, given: Mapping[str, object]) -> Self:
        """The recipe with these parameters and the defaults of the rest; RecipeError names what is wrong.

        `rules` are names in a list, or in a text with commas between them; rules are then switched by it alone.
        """
        known = _parameters(cls)
        values: dict[str, Any] = {}
        for name, value in given.items():
            if name not in (*known, "rules"):
                raise unknown("parameter", name, [*known, "rules"])
            if name != "rules":
                values[name] = read(name, value)
        if "rules" in given:
            names = _names(given["rules"])
            cls._check(names)
            cls._switch(names, values)
            values["order"] = names
        return cls(**values)

    @classmethod
    def from_dict(cls, given: Mapping[str, object]) -> Self:
        """What as_dict gave; RecipeError, with its place, where it speaks of what does not exist.

        The `parameters` of a manifest may stand beside the rules, and have to say the same; manifests of old have them
        alone.
        """
        for part in given:
            if part not in PARTS:
                raise unknown("part", part, PARTS)
        if given.get("name") != cls.name:
            raise unknown("recipe", str(given.get("name")), [cls.name], place="name")
        _check_version(given, cls.name, cls.version)
        if "rules" not in given and "settings" not in given and "parameters" in given:
            return cls._from_flat(given["parameters"])
        listed = cls._from_list(given)
        if "parameters" not in given:
            return listed
        flat = cls._from_flat(given["parameters"])
        if flat.as_dict() != listed.as_dict():
            reason = say("these say something else than rules and settings; leave them out")
            raise RecipeError(reason, place="parameters")
        return flat

    # --- JSON ----------------------------------------------------------------------------------------------

    @classmethod
    def _from_flat(cls, given: object) -> Self:
        values = _mapping(given, "parameters")
        try:
            return cls.from_parameters(values)
        except RecipeError as error:
            raise error.at(f"parameters.{error.field}" if error.field in values else "parameters") from error

    @classmethod
    def _from_list(cls, given: Mapping[str, object]) -> Self:
        listed = given.get("rules")
        if not isinstance(listed, list):
            reason = say("a recipe needs its rules; write a list of them")
            raise RecipeError(reason, place="rules")
        settings = _mapping(given.get("settings", {}), "settings")
        names: list[str] = []
        values: dict[str, object] = {}
        places = {"rules": "rules"}
        switches = {rule.name: rule.switch for rule in cls.all_rules}
        for number, rule in enumerate(listed):
            name, of_rule = cls._read_rule(rule, f"rules[{number}]")
            names.append(name)
            values |= of_rule
            places[switches[name]] = f"rules[{number}]"
            places |= {key: f"rules[{number}].parameters.{key}" for key in of_rule}
        for name, value in settings.items():
            if name not in cls.settings:
                raise unknown("setting", name, cls.settings, place="settings")
            values[name] = value
            places[name] = f"settings.{name}"
        try:
            return cls.from_parameters({**values, "rules": names})
        except RecipeError as error:
            raise error.at(places.get(error.field or "rules", "rules")) from error

    @classmethod
    def _read_rule(cls, given: object, place: str) -> tuple[str, Mapping[str, object]]:
        """The name of a rule, and its parameters, from JSON."""
        kinds = {rule.name: rule for rule in cls.all_rules}
        if not isinstance(given, Mapping) or not isinstance(given.get("rule"), str):
            reason = say("this is no rule; write an object with rule (its name), version and parameters")
            raise RecipeError(reason, place=place)
        name = given["rule"]
        if name not in kinds:
            raise unknown("rule", name, list(kinds), place=f"{place}.rule")
        for part in given:
            if part not in PARTS_OF_RULE:
                raise unknown("part", part, PARTS_OF_RULE, place=place)
        _check_version(given, name, kinds[name].version, place=f"{place}.")
        values = _mapping(given.get("parameters", {}), f"{place}.parameters")
        for key in values:
            if key not in kinds[name].parameters():
                raise unknown("parameter", key, kinds[name].parameters(), place=f"{place}.parameters")
        return name, values

    # --- one rule ----------------------------------------------------------------------------------------

    def _named(self, among: Iterable[type[Rule]]) -> tuple[str, ...]:
        names = tuple(rule.name for rule in among)
        return tuple(name for name in self.order if name in names) if self.order else names

    def _made(self, rule: type[Rule]) -> Rule:
        return rule(**{name: getattr(self, name) for name in rule.parameters()})

    def _is_on(self, rule: type[Rule]) -> bool:
        """Whether the parameters say so; a rule without a switch is off only where the list leaves it out."""
        if not rule.switch:
            return True
        value = getattr(self, rule.switch)
        return value is not None and value is not False

    def _neutralise(self, rule: type[Rule]) -> None:
        """Its parameters decide nothing any more; they must not differ between equal recipes either."""
        defaults = {field.name: field.default for field in fields(self)}
        for name in rule.parameters():
            if name != rule.switch:
                object.__setattr__(self, name, self.neutral.get(name, defaults[name]))

    # --- the list ----------------------------------------------------------------------------------------

    @classmethod
    def _check(cls, names: Sequence[str]) -> None:
        """RecipeError on a list that is none of these rules, or in an order that cannot be."""
        known = [rule.name for rule in cls.all_rules]
        for place, name in enumerate(names):
            if name not in known:
                raise unknown("rule", name, known)
            if name in names[:place]:
                raise RecipeError(
                    say("the rule {name} is listed twice; list it once", name=name), field="rules"
                )
        if cls.one_of and not any(name in cls.one_of for name in names):
            needed = say(
                "without {names} a pair could have no preferred side; add one to the rules",
                names=" and ".join(cls.one_of),
            )
            raise RecipeError(needed, field="rules")
        wanted = cls._in_order(names)
        if list(names) != wanted:
            reason = say(
                "the rules cannot stand in this order, for each works on what those before it left; use {names}",
                names=", ".join(wanted),
            )
            raise RecipeError(reason, field="rules")

    @classmethod
    def _in_order(cls, names: Iterable[str]) -> list[str]:
        """The names as they may stand: rules on single candidates as given if any order is allowed, all others as
        shipped."""
        known = [rule.name for rule in cls.all_rules]
        free = {rule.name for rule in cls.all_rules if cls.any_order and rule.kind is Kind.CANDIDATE}
        first_free = min((known.index(name) for name in free), default=0)
        return sorted(names, key=lambda name: first_free if name in free else known.index(name))

    @classmethod
    def _switch(cls, names: Sequence[str], values: dict[str, Any]) -> None:
        """Switch the rules in `values` as the list says; RecipeError where a value contradicts it."""
        for rule in cls.all_rules:
            listed = rule.name in names
            if rule.switch and rule.switch not in rule.parameters():
                if values.setdefault(rule.switch, listed) is not listed:
                    raise (switched_off if listed else left_out)(rule.switch, rule.name)
            elif rule.switch and not listed:
                if values.setdefault(rule.switch) is not None:
                    raise left_out(rule.switch, rule.name)
            elif rule.switch and values.get(rule.switch, _default(cls, rule.switch)) is None:
                needed = say("the rule {rule} needs a value for {name}", rule=rule.name, name=rule.switch)
                raise RecipeError(needed, field=rule.switch)
            elif not listed:
                for name in rule.parameters():
                    if name in values:
                        raise left_out(name, rule.name)


def _parameters(kind: type[Recipe]) -> list[str]:
    return [field.name for field in fields(kind) if field.name != "order"]


def _default(kind: type[Recipe], name: str) -> object:
    return next(field.default for field in fields(kind) if field.name == name)


def _names(value: object) -> tuple[str, ...]:
    """Names of rules from a list, or from a text with commas between them."""
    given = value.split(",") if isinstance(value, str) else value
    if not isinstance(given, list | tuple) or not all(isinstance(name, str) for name in given):
        reason = f"rules cannot be {quoted(value)}; list their names"
        raise RecipeError(reason, field="rules", remedy=say("list the names of rules"))
    return tuple(name.strip() for name in given)


def _mapping(value: object, place: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise RecipeError(say("this is no JSON object; write one, such as {{}}"), place=place)
    return value


def _check_version(given: Mapping[str, object], name: str, version: int, place: str = "") -> None:
    """RecipeError unless it is the number; True is none."""
    said = given.get("version")
    if said != version or type(said) is not int:
        reason = say(
            "the version of {name} is {version} here, not {said}",
            name=name,
            version=version,
            said=quoted(said),
        )
        raise RecipeError(reason, place=f"{place}version")


def left_out(name: str, rule: str) -> RecipeError:
    reason = say(
        "{name} is of the rule {rule}, which the list leaves out; leave out both or none",
        name=name,
        rule=rule,
    )
    return RecipeError(reason, field=name)


def switched_off(name: str, rule: str) -> RecipeError:
    reason = say(
        "{name} is off, and the list has the rule {rule}; leave out both or none", name=name, rule=rule
    )
    return RecipeError(reason, field=name)
