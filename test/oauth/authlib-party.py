# A relying party in Python on Authlib, run by authlib.test.ts as a process of its own.
# Arguments: issuer, client_id, client_secret, port. Prints its address, then serves / (sign in), /cb, /refresh,
# /introspect and /revoke.
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

# Both are on loopback here.
os.environ['AUTHLIB_INSECURE_TRANSPORT'] = '1'

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebToken
from authlib.oidc.core import CodeIDToken

issuer, client_id, client_secret, port = sys.argv[1:5]
base = f'http://127.0.0.1:{port}'
metadata = requests.get(f'{issuer}/.well-known/openid-configuration', timeout=10).json()
assert metadata['issuer'] == issuer
keys = requests.get(metadata['jwks_uri'], timeout=10).json()
session = OAuth2Session(
    client_id,
    client_secret,
    scope='openid profile email groups',
    redirect_uri=f'{base}/cb',
    code_challenge_method='S256',
    token_endpoint_auth_method='client_secret_basic',
)
begun = {}


def sign_in():
    begun.update(code_verifier=generate_token(48), nonce=generate_token(20))
    url, begun['state'] = session.create_authorization_url(metadata['authorization_endpoint'], **begun)
    return url


def redeem(url):
    session.fetch_token(
        metadata['token_endpoint'],
        authorization_response=url,
        state=begun['state'],
        code_verifier=begun['code_verifier'],
    )
    return person(nonce=begun['nonce'])


def person(**expected):
    claims = JsonWebToken(['RS256']).decode(
        session.token['id_token'],
        keys,
        claims_cls=CodeIDToken,
        claims_options={
            'iss': {'essential': True, 'value': issuer},
            'aud': {'essential': True, 'value': client_id},
        },
        claims_params={**expected, 'access_token': session.token['access_token']},
    )
    claims.validate()
    userinfo = session.get(metadata['userinfo_endpoint'], timeout=10)
    userinfo.raise_for_status()
    return {'claims': claims, 'header': claims.header, 'userinfo': userinfo.json()}


def refresh(_):
    before = session.token['refresh_token']
    session.refresh_token(metadata['token_endpoint'], refresh_token=before)
    return {**person(), 'rotated': session.token['refresh_token'] != before}


def introspect(_):
    return session.introspect_token(
        metadata['introspection_endpoint'], session.token['access_token'], token_type_hint='access_token'
    ).json()


def revoke(_):
    token = session.token['refresh_token']
    status = session.revoke_token(metadata['revocation_endpoint'], token).status_code
    try:
        session.refresh_token(metadata['token_endpoint'], refresh_token=token)
    except OAuthError as refused:
        return {'revoked': status, 'error': refused.error}
    return {'revoked': status, 'error': None}


pages = {'/cb': redeem, '/refresh': refresh, '/introspect': introspect, '/revoke': revoke}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        path = urlsplit(self.path).path
        if path == '/':
            self.send_response(303)
            self.send_header('location', sign_in())
            self.end_headers()
            return
        if path not in pages:
            self.send_error(404)
            return
        body = json.dumps(pages[path](base + self.path)).encode()
        self.send_response(200)
        self.send_header('content-type', 'application/json')
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(('127.0.0.1', int(port)), Handler)
print(base, flush=True)
server.serve_forever()
