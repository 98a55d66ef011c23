"""{% kept name=value … %} … {% endkept %}: a piece of a page that is rendered once and then kept.

The labels, icons and rubric of a page of work are the same for every text, and rendering them anew took longer than
all the rest. A piece is kept for each language and each set of its values, which have to be hashable. Inside, those
values are all there is: no request, no user, no form, so what was rendered for one reader tells another nothing.
"""

from django.template import Context, Library, Node, NodeList, TemplateSyntaxError
from django.template.base import FilterExpression, Parser, Token, token_kwargs
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = Library()
MOST = 500  # of one piece in a process; then it begins anew


class Kept(Node):
    def __init__(self, inside: NodeList, values: dict[str, FilterExpression]) -> None:
        self.inside, self.values = inside, values
        self.rendered: dict[tuple[object, ...], SafeString] = {}

    def render(self, context: Context) -> SafeString:
        values = {name: value.resolve(context) for name, value in self.values.items()}
        key = (get_language(), *values.values())
        found = self.rendered.get(key)
        if found is None:
            if len(self.rendered) >= MOST:
                self.rendered.clear()
            alone = Context(values)
            with alone.bind_template(context.template):
                found = self.rendered[key] = self.inside.render(alone)
        return found


@register.tag
def kept(parser: Parser, token: Token) -> Kept:
    _name, *words = token.split_contents()
    values = token_kwargs(words, parser)
    if words:
        raise TemplateSyntaxError(f"kept takes name=value, not {words[0]!r}.")
    inside = parser.parse(("endkept",))
    parser.delete_first_token()
    return Kept(inside, values)
