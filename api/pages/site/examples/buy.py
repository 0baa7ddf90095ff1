import os

from eth_account import Account
from x402 import x402ClientSync
from x402.http.clients.requests import x402_requests
from x402.mechanisms.evm.exact.register import register_exact_evm_client
from x402.mechanisms.evm.signers import EthAccountSigner

base_url = os.environ.get("BASE_URL", "__BASE_URL__")
client = x402ClientSync()
register_exact_evm_client(client, EthAccountSigner(Account.from_key(os.environ["PRIVATE_KEY"])))

with x402_requests(client) as session:
    answer = session.get(base_url + "__PATH__")
    print(answer.status_code, answer.json()["result"])
