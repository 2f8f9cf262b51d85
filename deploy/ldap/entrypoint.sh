#!/bin/sh
# Starts slapd on $DATA (a volume). Its configuration is written anew from the templates at every start, its entries
# only into an empty volume: the passwords given then are the ones that count.
#   LDAP_BASE              dc=example,dc=org
#   LDAP_PASSWORD          of cn=latchkey,ou=services,<base>, which the service binds as (required)
#   LDAP_HOST_PASSWORD     of cn=host,ou=services,<base>, which Linux hosts read as (random when not given)
#   LDAP_TLS_CERTIFICATE   with LDAP_TLS_KEY (and LDAP_TLS_CA): PEM files; offers StartTLS, and ldaps where LISTEN says so
#   LDAP_SERVER_ID         1 or 2: one of two servers in mirror mode, each with the other as
#   LDAP_PEER              ldap://ldap-2:1389; only number 1 makes the first entries, and only where the peer has none
#   LDAP_RESTORE_PASSWORD  for `npm run restore` alone: cn=manager,<base> may bind with it until the next start without
set -eu
umask 077

base=${LDAP_BASE:-dc=example,dc=org}
data=${DATA:-/data}
templates=${TEMPLATES:-/usr/local/share/latchkey}
schema=${SCHEMA:-/etc/ldap/schema}
modules=${MODULES:-/usr/lib/ldap}
listen=${LISTEN:-ldap://0.0.0.0:1389/}
service="cn=latchkey,ou=services,$base"
cost='m=19456 t=2 p=1'
: "${LDAP_PASSWORD:?set LDAP_PASSWORD: the service binds with it}"

random() { head -c 32 /dev/urandom | base64 | tr -d '\n'; }

# secret FILE PASSWORD: on no command line, which everybody on the machine can see
secret() { printf %s "$2" > "$data/$1"; }

# hash SCHEME MODULE PASSWORD
hash() {
  secret .password "$3"
  slappasswd -o "module-path=$modules" -o "module-load=$2" -h "$1" -T "$data/.password"
  rm "$data/.password"
}

# The lines behind a placeholder of the template; awk puts them there as they are, whatever they hold.
tls='' serverid='' rootpw='' replication=''
if [ -n "${LDAP_TLS_CERTIFICATE:-}" ]; then
  tls="olcTLSCertificateFile: $LDAP_TLS_CERTIFICATE
olcTLSCertificateKeyFile: $LDAP_TLS_KEY"
  [ -z "${LDAP_TLS_CA:-}" ] || tls="$tls
olcTLSCACertificateFile: $LDAP_TLS_CA"
fi
if [ -n "${LDAP_PEER:-}" ]; then
  : "${LDAP_SERVER_ID:?set LDAP_SERVER_ID to 1 or 2, another one than the peer has}"
  case $LDAP_PASSWORD in *[\"\\]*) echo 'LDAP_PASSWORD must have no quote and no backslash where there is a peer' >&2; exit 1 ;; esac
  serverid="olcServerID: $LDAP_SERVER_ID"
  replication="olcSyncrepl: rid=001 provider=$LDAP_PEER searchbase=\"$base\" type=refreshAndPersist retry=\"1 30 5 +\" timeout=5 network-timeout=5 keepalive=30:3:10 bindmethod=simple binddn=\"$service\" credentials=\"$LDAP_PASSWORD\"
olcMultiProvider: TRUE"
fi
mkdir -p "$data/db"
[ -z "${LDAP_RESTORE_PASSWORD:-}" ] || rootpw="olcRootPW: $(hash '{SSHA512}' pw-sha2 "$LDAP_RESTORE_PASSWORD")"

rm -rf "$data/conf" && mkdir "$data/conf"
sed -e "s|@DIR@|$data|g; s|@BASE@|$base|g; s|@MODULES@|$modules|g; s|@SCHEMA@|$schema|g; s|@OWN@|$templates|g" \
  -e "s|@ARGON2@|$cost|g; s|@UID@|$(id -u)|g; s|@GID@|$(id -g)|g; /^@ENVFLAGS@\$/d" "$templates/config.ldif" |
  TLS=$tls SERVERID=$serverid ROOTPW=$rootpw REPLICATION=$replication awk '
    /^@(TLS|SERVERID|ROOTPW|REPLICATION)@$/ { lines = ENVIRON[substr($0, 2, length($0) - 2)]; if (lines != "") print lines; next }
    { print }' > "$data/config.ldif"
slapadd -n 0 -F "$data/conf" -l "$data/config.ldif"
rm "$data/config.ldif"

# Whether the peer holds the directory. Waits for a peer that does not answer: without its word an empty volume could be
# one that was lost, and entries made anew would stand against those that the peer has.
peer_has_entries() {
  secret .password "$LDAP_PASSWORD"
  while :; do
    code=0
    ldapsearch -x -H "$LDAP_PEER" -o nettimeout=3 -l 3 -D "$service" -y "$data/.password" -s base -b "$base" 1.1 > /dev/null 2>&1 || code=$?
    case $code in 0) rm "$data/.password"; return 0 ;; 32 | 49) rm "$data/.password"; return 1 ;; esac
    echo "waiting for $LDAP_PEER, to know whether it has entries already" >&2
    sleep 1
  done
}

if [ ! -e "$data/db/data.mdb" ] && [ "${LDAP_SERVER_ID:-1}" = 1 ] && { [ -z "${LDAP_PEER:-}" ] || ! peer_has_entries; }; then
  dc=${base%%,*}
  sed -e "s|@BASE@|$base|g; s|@DC@|${dc#*=}|g" \
    -e "s|@LATCHKEY@|$(hash '{SSHA512}' pw-sha2 "$LDAP_PASSWORD")|" \
    -e "s|@HOST@|$(hash '{SSHA512}' pw-sha2 "${LDAP_HOST_PASSWORD:-$(random)}")|" \
    -e "s|@DECOY@|$(hash '{ARGON2}' "argon2 $cost" "$(random)")|" \
    "$templates/entries.ldif" > "$data/entries.ldif"
  slapadd -n 1 -q ${LDAP_PEER:+-w -S 1} -F "$data/conf" -l "$data/entries.ldif" || { rm -f "$data/db/data.mdb"; exit 1; }
  rm "$data/entries.ldif"
fi

exec slapd -F "$data/conf" -h "$listen" -d 0
