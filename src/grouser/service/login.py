"""What one client may do: the roles of the token it has shown."""

from __future__ import annotations

from grouser.errors import Refused
from grouser.service.access import AccessControl, Role


class Login:
    """The roles of one client, whichever port it came to."""

    def __init__(self, access: AccessControl, address: str) -> None:
        """Begin with what everybody at ``address`` may do without a token.

        Raises:
            Refused: nobody may come from this address.
        """
        self._access, self._address = access, address
        self._roles = frozenset[Role]() if access.needs_token else access.check(address)

    def __bool__(self) -> bool:
        """Whether the client may do anything at all."""
        return bool(self._roles)

    def show(self, token: str | None) -> None:
        """Take over what ``token`` allows; raise `Refused` for a wrong one."""
        self._roles = self._access.check(self._address, token)

    def require(self, role: Role | None = None) -> None:
        """Raise `Refused` if the client has not got ``role``; None: if it may do nothing at all."""
        if not self._roles:
            self._access.check(self._address)  # says what to do about it
        if role is not None and role not in self._roles:
            raise Refused(f"this needs a token with the role '{role.value}'")
