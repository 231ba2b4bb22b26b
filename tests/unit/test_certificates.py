"""Trusted certificates of outgoing connections."""

import ssl

import pytest

from services.kernel.network import trusted_certificates


def test_certificates_are_read_once():
    assert trusted_certificates() is trusted_certificates()


def test_servers_without_a_trusted_certificate_are_refused():
    context = trusted_certificates()

    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert context.get_ca_certs()


@pytest.mark.parametrize(("looks_at_environment", "trusts_any"), [(True, False), (False, True)])
def test_certificate_file_of_the_environment_replaces_all_if_trusted(
    monkeypatch, tmp_path, looks_at_environment, trusts_any
):
    empty = tmp_path / "none"
    empty.mkdir()
    monkeypatch.setenv("SSL_CERT_DIR", str(empty))
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    read = trusted_certificates.__wrapped__(trust_environment=looks_at_environment)

    assert bool(read.get_ca_certs()) is trusts_any
