"""The version of this code. A test holds it equal to the newest heading of CHANGELOG.md."""

VERSION = "0.1.0"
