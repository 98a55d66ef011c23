"""REST: what a lead's script needs of a project, one module for each part of the work. Translation only.

`rows` says how things are told, `shapes` what of that the description of the interface promises, `doors` whose they
are. Every rule stands in the services, and every door is that of the page that shows the same.
"""
