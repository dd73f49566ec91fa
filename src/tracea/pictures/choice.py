# SPDX-License-Identifier: MIT
"""The decisions as tables: which variant runs and why no other, which configuration and what stood beside it."""

from __future__ import annotations

from tracea_core.doctor.choose import Choice
from tracea_core.pipeline.configure import Configured
from tracea_core.policy.model import predict_seconds
from tracea_core.policy.topology import topology_of
from tracea_core.semantic.verify.certificate import Certificate

from tracea.pictures.section import Section, seconds, table
from tracea.pictures.svg import escape


def choice_section(choice: Choice) -> Section:
    """Return the variants: the one that runs, those that qualified, and the rejected ones with their reasons."""
    scores = dict(choice.ranking)
    rows: list[tuple[object, ...]] = [(choice.variant.name, choice.score, "runs")]
    rows += [(name, score, "qualified") for name, score in scores.items() if name != choice.variant.name]
    rows += [(item.variant, "", item.reason) for item in choice.rejected if item.variant not in scores]
    body = table(("variant", "score|", "why"), rows, chosen=0)
    if choice.fallback is not None:
        body += f'<p class="note">Precision: {escape(choice.fallback.describe())}</p>'
    variant = choice.variant
    lead = (
        f"Of {len(rows)} variants that the backend offers, <code>{escape(variant.name)}</code> runs: the first requirement "
        "that another one fails is its reason."
    )
    return Section("choice", "Choice", lead, body)


def configuration_section(choice: Choice, configured: Configured) -> Section:
    """Return the configuration, the policy's other guesses with the model's times, and the rules that led there."""
    decision, operator = configured.decision, topology_of(choice.problem, choice.variant)
    profile = choice.target.profile
    named = dict.fromkeys((configured.configuration, *decision.heroes))
    rows = []
    for configuration in named:
        expected = predict_seconds(configuration, profile, operator)
        mark = configured.origin.value if configuration == configured.configuration else "the policy's other guesses"
        rows.append((configuration.describe(), seconds(expected) if expected else "–", mark))
    body = table(("configuration", "roofline model|", ""), rows, chosen=0)
    body += "<h3>Rules that shaped it</h3>" + table(
        ("rule", "because"), [(reason.rule, reason.text) for reason in decision.reasons]
    )
    lead = (
        f"<code>{escape(configured.configuration.describe())}</code>, {escape(configured.origin.value)}. "
        f"The search space around it has {decision.space.size} combinations. Times in this table are the model's, not measured."
    )
    return Section("configuration", "Configuration", lead, body)


def certificate_section(certificate: Certificate) -> Section:
    """Return what was proved of the kernel."""
    lines = "".join(
        f'<tr><td class="check">✓ {escape(proof.property)}</td><td>{escape(proof.statement)}</td>'
        f"<td>{escape(proof.evidence)}</td></tr>"
        for proof in certificate.proofs
    )
    body = f'<div class="scroll"><table><tbody>{lines}</tbody></table></div>'
    lead = f"Proved before anything is printed, about the kernel with digest <code>{certificate.kernel[:16]}</code>."
    return Section("certificate", "Certificate", lead, body)
