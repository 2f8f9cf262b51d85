#!/bin/sh
# Starts a Redis server or, with the word `sentinel`, a Sentinel on $DATA (a volume). What Sentinel decided (who follows
# whom) is kept there across restarts; everything else is written anew, so a new password takes effect at the next start.
#   REDIS_PASSWORD   of all servers (required); Sentinels have none: they stand in a network that only pods and servers share
#   REDIS_NAME       the name or address the others reach this one under (required)
#   REDIS_PRIMARY    host of the first primary: a server with another name begins as its replica (required)
#   REDIS_PORT       of this one: 6379, or 26379 for a Sentinel
#   REDIS_PRIMARY_PORT, SENTINEL_NAME, SENTINEL_QUORUM   6379, mymaster, 2
set -eu
umask 077

data=${DATA:-/data}
name=${REDIS_NAME:?set REDIS_NAME}
primary=${REDIS_PRIMARY:?set REDIS_PRIMARY}
primary_port=${REDIS_PRIMARY_PORT:-6379}
master=${SENTINEL_NAME:-mymaster}
: "${REDIS_PASSWORD:?set REDIS_PASSWORD}"
case $REDIS_PASSWORD in *[!A-Za-z0-9._~-]*) echo 'REDIS_PASSWORD: letters, digits and ._~- only, as in a URL' >&2; exit 1 ;; esac

# kept FILE PATTERN: lines of the file that was there, if any
kept() { if [ -e "$1" ]; then grep -E "$2" "$1" || true; fi; }

if [ "${1:-server}" = sentinel ]; then
  file=$data/sentinel.conf
  known=$(kept "$file" '^sentinel (myid|monitor|config-epoch|leader-epoch|current-epoch|known-replica|known-sentinel) ')
  case $known in *"sentinel monitor"*) ;; *) known="sentinel monitor $master $primary $primary_port ${SENTINEL_QUORUM:-2}" ;; esac
  # A monitor stands before what is said of it.
  order() { printf '%s\n' "$known" | grep -E "$1" || true; }
  {
    printf '%s\n' "port ${REDIS_PORT:-26379}" "dir $data" 'protected-mode no' \
      'sentinel resolve-hostnames yes' 'sentinel announce-hostnames yes' "sentinel announce-ip $name"
    order '^sentinel (myid|current-epoch) '
    order '^sentinel monitor '
    printf '%s\n' "sentinel auth-pass $master $REDIS_PASSWORD" \
      "sentinel down-after-milliseconds $master 5000" "sentinel failover-timeout $master 20000"
    order '^sentinel (config-epoch|leader-epoch|known-replica|known-sentinel) '
  } > "$file.new"
  mv "$file.new" "$file"
  exec redis-server "$file" --sentinel
fi

file=$data/redis.conf
follows=$(kept "$file" '^replicaof ')
[ -e "$file" ] || [ "$name:${REDIS_PORT:-6379}" = "$primary:$primary_port" ] || follows="replicaof $primary $primary_port"
# A primary that no replica follows takes no write: it could be cut off, and what it took would be lost.
cat > "$file.new" <<END
port ${REDIS_PORT:-6379}
dir $data
protected-mode no
requirepass $REDIS_PASSWORD
masterauth $REDIS_PASSWORD
replica-announce-ip $name
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
min-replicas-to-write 1
min-replicas-max-lag 10
$follows
END
mv "$file.new" "$file"
exec redis-server "$file"
