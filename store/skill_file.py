"""One skill on disk: reading it, writing it, removing it."""

from wellworn.store.skill_read import (
    MANIFEST_FILE,
    SKILL_FILE,
    ParsedSkillFile,
    find_files,
    parse_skill_md,
    read_skill_directory,
)
from wellworn.store.skill_write import remove_skill, write_skill

__all__ = [
    "MANIFEST_FILE",
    "SKILL_FILE",
    "ParsedSkillFile",
    "find_files",
    "parse_skill_md",
    "read_skill_directory",
    "remove_skill",
    "write_skill",
]
