"""Verifies a certificate by the libraries of DSSE's and in-toto's own projects: verify.py CERTIFICATE KEY.pub

pip install securesystemslib cryptography in-toto-attestation
"""

import json
import sys

from cryptography.hazmat.primitives.serialization import load_pem_public_key
from google.protobuf import json_format
from in_toto_attestation.predicates.test_result.v0.test_result_pb2 import TestResult
from in_toto_attestation.v1.statement import Statement
from in_toto_attestation.v1.statement_pb2 import Statement as Message
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

with open(sys.argv[2], "rb") as file:
    public = load_pem_public_key(file.read())
with open(sys.argv[1], encoding="utf-8") as file:
    lines = file.readlines()
for line in lines:
    envelope = Envelope.from_dict(json.loads(line))
    (keyid,) = envelope.signatures
    envelope.verify([SSlibKey.from_crypto(public, keyid=keyid)], 1)
    statement = Statement.copy_from_pb(json_format.Parse(envelope.payload, Message()))
    statement.validate()
    print(envelope.payload_type, statement.pb.predicate_type, statement.pb.subject[0].digest["gitCommit"])
# The last one says in in-toto's own words what came of the commands.
assert len(lines) == 2 and statement.pb.predicate_type == "https://in-toto.io/attestation/test-result/v0.1"
result = json_format.ParseDict(json_format.MessageToDict(statement.pb.predicate), TestResult())
print(result.result, len(result.passed_tests), "passed")
