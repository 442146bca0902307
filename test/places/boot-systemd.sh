# Boots systemd over a copy of this machine's files that is thrown away, in namespaces of its own. Arguments: an empty
# folder, and the folder of the clone. Run by `unshare` with namespaces for mounts, processes, cgroups and the rest.
set -eu
folder=$1
clone=$2
mount --make-rprivate /
mount -t tmpfs tmpfs "$folder"
mkdir "$folder/written" "$folder/work" "$folder/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/written,workdir=$folder/work" "$folder/root"
cd "$folder/root"
mkdir -p ".$clone"
mount --bind "$clone" ".$clone"
mount -t proc proc proc
mount -t sysfs sysfs sys
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
  mount -t cgroup2 cgroup2 sys/fs/cgroup
else
  mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
  mkdir sys/fs/cgroup/unified sys/fs/cgroup/systemd
  mount -t cgroup2 cgroup2 sys/fs/cgroup/unified
  mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
  for each in cpu memory pids freezer devices; do
    mkdir "sys/fs/cgroup/$each"
    mount -t cgroup -o "$each" cgroup "sys/fs/cgroup/$each"
  done
fi
mount -t tmpfs -o mode=755 tmpfs dev
for each in null zero full random urandom tty; do
  touch "dev/$each"
  mount --bind "/dev/$each" "dev/$each"
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
mount -t tmpfs tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
# No service of the machine's own, and no first boot that would enable them all.
rm -rf etc/systemd/system/*.wants etc/systemd/system/*.requires
echo 0123456789abcdef0123456789abcdef > etc/machine-id
install -m 755 "$folder/../aloft" usr/local/bin/aloft
install -D -m 600 "$folder/../aloft.env" etc/aloft/aloft.env
cp ".$clone/deploy/aloft.service" etc/systemd/system/
mkdir -p old
pivot_root . old
exec env -i container=aloft PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c 'umount -l /old; exec /lib/systemd/systemd --log-target=null'
