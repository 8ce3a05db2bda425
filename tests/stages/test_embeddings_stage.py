"""What is embedded is the full text of chunks and claims, as they themselves say it."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from aipk_core.chunks import Chunk
from aipk_core.claims.model import Claim
from aipk_core.embedding.model import EmbedderIdentity
from aipk_core.hashing import digest
from aipk_core.stages.chunks import SCHEMA as CHUNK_SCHEMA
from aipk_core.stages.chunks import _record as chunk_record
from aipk_core.stages.claims import SCHEMA as CLAIM_SCHEMA
from aipk_core.stages.claims import claim_from_row
from aipk_core.stages.embeddings import _texts, vector_key
from aipk_core.store.manifest import Manifest


def test_texts_are_the_full_texts():
    chunk = Chunk("c1", "a.md", 0, 4, "Text", ("A",), ("Page", "A"))
    chunks = Manifest("chunks", "", pa.Table.from_pylist([chunk_record(chunk)], schema=CHUNK_SCHEMA))
    assert list(_texts("chunk", chunks)) == [("c1", chunk.full_text)]
    row = dict.fromkeys(CLAIM_SCHEMA.names, "[]") | {"id": "k1", "text": "It is.", "context": '["Page", "A"]'}
    claim = claim_from_row(row)
    assert isinstance(claim, Claim)
    claims = Manifest("claims", "", pa.Table.from_pylist([row], schema=CLAIM_SCHEMA))
    assert list(_texts("claim", claims)) == [("k1", claim.full_text)]


@given(st.text())
def test_the_key_of_a_vector_is_the_digest_of_model_and_text(text):
    identity = EmbedderIdentity("m", "1", "d1g3st", 3, 10)
    assert vector_key(identity, text) == digest("vector", identity.digest, text)
