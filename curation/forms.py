from django import forms
from django.utils.translation import gettext_lazy as _


class FreezeForm(forms.Form):
    name = forms.CharField(max_length=60, label=_("Name"))
    version = forms.CharField(max_length=40, label=_("Version"))
