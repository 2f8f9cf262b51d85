#!/bin/sh
# Starts slapd on $DATA (a volume). Its configuration is written anew from the templates at every start, its entries
# only into an empty volume: the passwords given then are the ones that count.
#   LDAP_BASE           dc=example,dc=org
#   LDAP_PASSWORD       of cn=latchkey,ou=services,<base>, which the service binds as (required)
#   LDAP_HOST_PASSWORD  of cn=host,ou=services,<base>, which Linux hosts read as (random when not given)
set -eu
umask 077

base=${LDAP_BASE:-dc=example,dc=org}
data=${DATA:-/data}
templates=${TEMPLATES:-/usr/local/share/latchkey}
schema=${SCHEMA:-/etc/ldap/schema}
modules=${MODULES:-/usr/lib/ldap}
listen=${LISTEN:-ldap://0.0.0.0:1389/}
cost='m=19456 t=2 p=1'
tls=''
if [ -n "${LDAP_TLS_CERTIFICATE:-}" ]; then
  tls="olcTLSCertificateFile: $LDAP_TLS_CERTIFICATE\\
olcTLSCertificateKeyFile: $LDAP_TLS_KEY"
fi

random() { head -c 32 /dev/urandom | base64 | tr -d '\n'; }

# hash SCHEME MODULE PASSWORD
hash() {
  printf %s "$3" > "$data/.password"
  slappasswd -o "module-path=$modules" -o "module-load=$2" -h "$1" -T "$data/.password"
  rm "$data/.password"
}

mkdir -p "$data/db"
rm -rf "$data/conf" && mkdir "$data/conf"
sed -e "s|@DIR@|$data|g; s|@BASE@|$base|g; s|@MODULES@|$modules|g; s|@SCHEMA@|$schema|g; s|@OWN@|$templates|g" \
  -e "s|@ARGON2@|$cost|g; s|@UID@|$(id -u)|g; s|@GID@|$(id -g)|g" \
  -e "s|^@TLS@\$|${tls:-# no TLS}|; s|^@ENVFLAGS@\$|# every write is flushed|" \
  "$templates/config.ldif" > "$data/config.ldif"
slapadd -n 0 -F "$data/conf" -l "$data/config.ldif"

if [ ! -e "$data/db/data.mdb" ]; then
  : "${LDAP_PASSWORD:?set LDAP_PASSWORD: the service binds with it}"
  dc=${base%%,*}
  sed -e "s|@BASE@|$base|g; s|@DC@|${dc#*=}|g" \
    -e "s|@LATCHKEY@|$(hash '{SSHA512}' pw-sha2 "$LDAP_PASSWORD")|" \
    -e "s|@HOST@|$(hash '{SSHA512}' pw-sha2 "${LDAP_HOST_PASSWORD:-$(random)}")|" \
    -e "s|@DECOY@|$(hash '{ARGON2}' "argon2 $cost" "$(random)")|" \
    "$templates/entries.ldif" > "$data/entries.ldif"
  slapadd -n 1 -q -F "$data/conf" -l "$data/entries.ldif" || { rm -f "$data/db/data.mdb"; exit 1; }
  rm "$data/entries.ldif"
fi

exec slapd -F "$data/conf" -h "$listen" -d 0
