"""The network: a small BERT over the pair, judged as a whole and word by word.

A lie often sits in one word. Besides the usual reading of the first position, every word of the statement gets its own scores,
and the most suspicious word counts: that gives the training signal a short way to the place of an edit.
"""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import BertConfig, BertModel

WEIGHTS = "network.pt"


class Grounding(torch.nn.Module):
    """(input_ids, attention_mask, token_type_ids) → logits of supported, contradicted, not found."""

    def __init__(self, bert: BertModel) -> None:
        super().__init__()
        self.bert = bert
        self.whole = torch.nn.Linear(bert.config.hidden_size, 3)
        self.word = torch.nn.Linear(bert.config.hidden_size, 3)

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        states = self.bert(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)[0]
        words = self.word(states)
        inside = (token_type_ids * attention_mask).unsqueeze(-1).to(words.dtype)  # 1 on the statement's tokens
        mean = (words * inside).sum(1) / inside.sum(1).clamp(min=1.0)
        worst = (words - 100.0 * (1.0 - inside)).max(dim=1).values
        return self.whole(states[:, 0]) + mean + worst * torch.tensor([0.0, 1.0, 1.0], dtype=words.dtype)


def fresh(base: Path) -> Grounding:
    """A network on top of pretrained weights. Without dropout: with one or two passes there is nothing to overfit, and the
    random masks cost a third of the time."""
    return Grounding(
        BertModel.from_pretrained(
            base,
            add_pooling_layer=False,
            attn_implementation="sdpa",
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
    )


def save(network: Grounding, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    network.bert.config.save_pretrained(folder)
    torch.save(network.state_dict(), folder / "part.pt")
    (folder / "part.pt").replace(folder / WEIGHTS)  # a reader never meets half a file


def load(folder: Path, attention: str = "sdpa") -> Grounding:
    config = BertConfig.from_pretrained(folder)
    config._attn_implementation = attention
    network = Grounding(BertModel(config, add_pooling_layer=False))
    network.load_state_dict(torch.load(folder / WEIGHTS, weights_only=True))
    return network
