"""``aipk inspect``: what a package says about itself; reads the manifest only, unless asked for more."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from aipk_core.cli.console import EXIT_OK, escaped, out, reporting_errors
from aipk_core.package.container import Container
from aipk_core.package.manifest import Manifest

_MOST_LISTED = 40


@reporting_errors
def inspect(
    package: Annotated[Path, typer.Argument(help="A package file (.aipk).", show_default=False)],
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare every byte with its digest, and every span with its quote.")
    ] = False,
    sample: Annotated[int, typer.Option(min=0, max=1_000, help="Show so many claims with their evidence.")] = 0,
    members: Annotated[bool, typer.Option("--members", help="List every file inside the package.")] = False,
    cache_dir: Annotated[Path | None, typer.Option(help="Where packages are unpacked.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what is in a package.

    Exit codes: 0 the package is sound, 2 it is not, or cannot be read.
    """
    with Container(package) as container:
        manifest, size, sha256 = container.manifest, container.size, container.digest()
    claims: list[dict[str, Any]] = []
    if verify or sample:
        from aipk_core.package.reader import open_package
        from aipk_core.package.tables import claim_row

        with open_package(package, cache_dir, verify=verify) as opened:
            claims = [claim_row(claim) for claim in islice(opened.claims(), sample)]
    if as_json:
        value = {
            "path": str(package),
            "size": size,
            "sha256": sha256,
            "verified": verify,
            "manifest": manifest.model_dump(mode="json"),
            "sample": claims,
        }
        print(json.dumps(value, ensure_ascii=False, indent=2))
        raise typer.Exit(EXIT_OK)
    _print_manifest(manifest, size, sha256)
    _print_licences(manifest)
    if members:
        _print_members(manifest)
    for claim in claims:
        _print_claim(claim)
    if verify:
        out.print("\n[green]sound:[/] every member has its digest, and every chunk and claim its exact quote")
    raise typer.Exit(EXIT_OK)


def _print_manifest(manifest: Manifest, size: int, sha256: str) -> None:
    counts, embedder = manifest.counts, manifest.embedder
    statuses = ", ".join(f"{number:,} {status}" for status, number in counts.claims_by_status.items() if number)
    facts = [
        ("package", f"{manifest.label}  {manifest.title}"),
        ("", manifest.description),
        ("content", manifest.content_digest),
        ("file", f"{size:,} bytes, SHA-256 {sha256}"),
        ("documents", f"{counts.documents:,} in {', '.join(manifest.languages[:_MOST_LISTED]) or 'no language'}"),
        ("chunks", f"{counts.chunks:,}"),
        ("claims", f"{counts.claims:,}" + (f" ({statuses})" if statuses else "")),
        ("questions", f"{counts.questions:,}"),
        ("embedder", f"{embedder.name} {embedder.revision}, {embedder.dimensions} dimensions, {embedder.digest[:16]}"),
        ("stages", ", ".join(f"{stage} {version[:12]}" for stage, version in sorted(manifest.stages.items()))),
        ("members", f"{len(manifest.members):,}, {sum(member.size for member in manifest.members):,} bytes unpacked"),
    ]
    for name, value in facts:
        if value:
            out.print(f"[bold]{name:<10}[/] {escaped(value)}", soft_wrap=True)


def _print_licences(manifest: Manifest) -> None:
    if not manifest.licences:
        return
    out.print()
    table = Table("source", "documents", "licence", "attribution", box=None, pad_edge=False, header_style="bold")
    for licence in manifest.licences[:_MOST_LISTED]:
        table.add_row(
            escaped(licence.source or "-"),
            f"{licence.documents:,}",
            escaped(licence.licence or "not stated"),
            escaped(licence.attribution or "-"),
        )
    out.print(table)
    if len(manifest.licences) > _MOST_LISTED:
        out.print(f"… and {len(manifest.licences) - _MOST_LISTED:,} more")


def _print_members(manifest: Manifest) -> None:
    out.print()
    for member in manifest.members:
        out.print(f"{member.sha256[:16]} {member.size:>13,}  {escaped(member.path)}", soft_wrap=True)


def _print_claim(claim: dict[str, Any]) -> None:
    out.print()
    context = " › ".join(claim["context"])
    out.print(f"[bold cyan]{escaped(claim['id'])}[/] [dim]{claim['status']}  {escaped(context)}[/]", soft_wrap=True)
    out.print(f"  {escaped(claim['text'])}", soft_wrap=True)
    for evidence in claim["evidence"][:3]:
        place = f"{evidence['document']} ({evidence['start']}–{evidence['end']})"
        out.print(f"  [dim]“{escaped(evidence['quote'][:300])}” {escaped(place)}[/]", soft_wrap=True)
