"""Verifies a certificate by the libraries of DSSE's and in-toto's own projects: verify.py CERTIFICATE KEY.pub

pip install securesystemslib cryptography in-toto-attestation
"""

import json
import sys

from cryptography.hazmat.primitives.serialization import load_pem_public_key
from google.protobuf import json_format
from in_toto_attestation.v1.statement import Statement
from in_toto_attestation.v1.statement_pb2 import Statement as Message
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

with open(sys.argv[1], encoding="utf-8") as file:
    envelope = Envelope.from_dict(json.load(file))
with open(sys.argv[2], "rb") as file:
    (keyid,) = envelope.signatures
    key = SSlibKey.from_crypto(load_pem_public_key(file.read()), keyid=keyid)
envelope.verify([key], 1)
statement = Statement.copy_from_pb(json_format.Parse(envelope.payload, Message()))
statement.validate()
print(envelope.payload_type, statement.pb.subject[0].digest["gitCommit"])
