"""The part of the client that is about proposals, and about what people decide."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

from pydantic import BaseModel

from wellworn.models.curation import (
    SessionEnd,
    SkillHistory,
    TrustAnswer,
    TrustRequest,
    UpdateAnswer,
    UpdateRequest,
)
from wellworn.models.proposal import (
    AcceptAnswer,
    AcceptRequest,
    Proposal,
    ProposalList,
    RejectRequest,
    SuggestAnswer,
    SuggestRequest,
)
from wellworn.models.reports import ShowProgress, no_progress

SUGGEST_SECONDS = 130.0
"""A little longer than the service takes at most."""


class DecisionsClient:
    """Mixed into ServiceClient, which asks."""

    def suggest(self, request: SuggestRequest, progress: ShowProgress = no_progress) -> SuggestAnswer:
        with_patience = self._send_body("POST", "/suggest", request, seconds=SUGGEST_SECONDS)
        return SuggestAnswer.model_validate(with_patience)

    def proposals(self, *, status: str | None, repo: str | None, offset: int, limit: int) -> ProposalList:
        query = {"status": status, "repo": repo, "offset": offset, "limit": limit}
        return ProposalList.model_validate(self.get("/proposals", **query))

    def proposal(self, proposal_id: str) -> Proposal:
        return Proposal.model_validate(self.get(f"/proposals/{_segment(proposal_id)}"))

    def accept(self, proposal_id: str, request: AcceptRequest) -> AcceptAnswer:
        path = f"/proposals/{_segment(proposal_id)}/accept"
        return AcceptAnswer.model_validate(self._send_body("POST", path, request))

    def reject(self, proposal_id: str, request: RejectRequest) -> Proposal:
        return Proposal.model_validate(self._send_body("POST", f"/proposals/{_segment(proposal_id)}/reject", request))

    def change_trust(self, verb: str, ref: str, request: TrustRequest, *, repo: str | None) -> TrustAnswer:
        path = _with_repo(f"/skills/{_segment(ref)}/{verb}", repo)
        return TrustAnswer.model_validate(self._send_body("POST", path, request))

    def update(self, ref: str, request: UpdateRequest, *, repo: str | None) -> UpdateAnswer:
        path = _with_repo(f"/skills/{_segment(ref)}", repo)
        return UpdateAnswer.model_validate(self._send_body("PATCH", path, request))

    def history(self, ref: str, *, repo: str | None) -> SkillHistory:
        return SkillHistory.model_validate(self.get(f"/skills/{_segment(ref)}/history", repo=repo))

    def end_session(self, session_id: str) -> SessionEnd:
        return SessionEnd.model_validate(self._ask("POST", f"/sessions/{_segment(session_id)}/end"))

    def get(self, path: str, **query: object) -> Any:
        """Return the JSON at `path`."""
        raise NotImplementedError

    def _ask(self, method: str, path: str, body: bytes | None = None, *, seconds: float | None = None) -> Any:
        raise NotImplementedError

    def _send_body(self, method: str, path: str, body: BaseModel, *, seconds: float | None = None) -> Any:
        data = body.model_dump_json(by_alias=True, exclude_unset=True).encode()
        return self._ask(method, path, data, seconds=seconds)


def _with_repo(path: str, repo: str | None) -> str:
    return path if repo is None else f"{path}?{urlencode({'repo': repo})}"


def _segment(text: str) -> str:
    return quote(text, safe="@")
