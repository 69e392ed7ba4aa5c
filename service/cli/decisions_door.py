"""The part of the door that is about proposals, and about what people decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from wellworn.models.access import Caller
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
    from wellworn.models.reports import ShowProgress
    from wellworn.service.workspace import Workspace


class DecisionsDoor(Protocol):
    """What commands about decisions ask for, wherever it is answered."""

    def suggest(self, request: SuggestRequest, progress: ShowProgress) -> SuggestAnswer: ...
    def proposals(self, *, status: str | None, repo: str | None, offset: int, limit: int) -> ProposalList: ...
    def proposal(self, proposal_id: str) -> Proposal: ...
    def accept(self, proposal_id: str, request: AcceptRequest) -> AcceptAnswer: ...
    def reject(self, proposal_id: str, request: RejectRequest) -> Proposal: ...
    def change_trust(self, verb: str, ref: str, request: TrustRequest, *, repo: str | None) -> TrustAnswer: ...
    def update(self, ref: str, request: UpdateRequest, *, repo: str | None) -> UpdateAnswer: ...
    def history(self, ref: str, *, repo: str | None) -> SkillHistory: ...
    def end_session(self, session_id: str) -> SessionEnd: ...


class LocalDecisions:
    """Mixed into LocalDoor: decides in this process, as the local person."""

    _workspace: Workspace
    _caller: Caller

    def suggest(self, request: SuggestRequest, progress: ShowProgress) -> SuggestAnswer:
        return self._workspace.suggest(request, self._caller, progress)

    def proposals(self, *, status: str | None, repo: str | None, offset: int, limit: int) -> ProposalList:
        from wellworn.models.proposal import ProposalStatus  # noqa: PLC0415

        wanted = None if status is None else ProposalStatus(status)
        curation = self._workspace.curation
        return curation.proposals(self._caller, status=wanted, repo=repo, offset=offset, limit=limit)

    def proposal(self, proposal_id: str) -> Proposal:
        return self._workspace.curation.proposal(proposal_id, self._caller)

    def accept(self, proposal_id: str, request: AcceptRequest) -> AcceptAnswer:
        return self._workspace.curation.accept(proposal_id, request, self._caller)

    def reject(self, proposal_id: str, request: RejectRequest) -> Proposal:
        return self._workspace.curation.reject(proposal_id, request, self._caller)

    def change_trust(self, verb: str, ref: str, request: TrustRequest, *, repo: str | None) -> TrustAnswer:
        return self._workspace.care.change_trust(verb, ref, request, self._caller, repo=repo)

    def update(self, ref: str, request: UpdateRequest, *, repo: str | None) -> UpdateAnswer:
        return self._workspace.care.update(ref, request, self._caller, repo=repo)

    def history(self, ref: str, *, repo: str | None) -> SkillHistory:
        return self._workspace.care.history(ref, self._caller, repo=repo)

    def end_session(self, session_id: str) -> SessionEnd:
        return self._workspace.session_skills.end(session_id, self._caller)
