#!/usr/bin/env python3
"""Downloads over long, lossy and narrow paths: swoop beside the downloaders that are installed.

Two network namespaces are joined by link.c, which makes the delay, the rate, the loss and the caps packet by packet,
so that TCP does what it does on such a path: slow start, recovery, fairness. nginx serves in one, and the contenders
fetch in the other, in turn, round by round. Each file is compared with the served one, byte for byte.

Printed are the median time in seconds, the range, and the median's ratio to that of the best peer. Exit code 1 if any
run failed or brought a wrong file; all else is finished first.

Needs root, /dev/net/tun, a C compiler, iproute2, nginx and openssl: Scripts/setup.sh --bench installs them, and the
peers. Builds swoop as Scripts/test.sh does, unless --swoop names a binary. One lab runs at a time; what it makes is
gone when it ends. All scenarios take some seven minutes a round, and a machine with nothing else to do.
"""
import argparse
import fcntl
import filecmp
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
SERVER, CLIENT = 'swoop-lab-server', 'swoop-lab-client'
ADDRESSES = {SERVER: '10.93.71.1', CLIENT: '10.93.71.2'}
LOCK = '/tmp/swoop-lab.lock'
PATIENCE = 180  # seconds; a run that takes longer has failed

# name: (values for link.c, MiB, scheme, what it stands for)
SCENARIOS = {
    'fat': ('delay=25 rate=400', 256, 'http', '400 Mbit/s, 50 ms: one connection can fill it'),
    'far': ('delay=100 rate=400 loss=0.05', 64, 'http', '200 ms, 0.05 % loss: windows are the limit'),
    'lossy': ('delay=50 rate=400 loss=0.5', 64, 'http', '100 ms, 0.5 % loss'),
    'storm': ('delay=75 rate=500 loss=1', 256, 'http', '150 ms, 1 % loss'),
    'capped': ('delay=25 rate=300 flow=20', 64, 'http', '50 ms, each connection 20 Mbit/s'),
    'uneven': ('delay=25 rate=300 flow=20 every=4 slow=1', 64, 'http',
               '50 ms, each connection 20 Mbit/s, but every fourth 1 Mbit/s'),
    'small': ('delay=100 rate=400', 4, 'http', '200 ms: round trips are the cost'),
    'tls': ('delay=50 rate=400 loss=0.1', 64, 'https', '100 ms, 0.1 % loss'),
}
CONTENDERS = {
    'swoop': ['{swoop}', '-q', '-k', '-o', 'out', '{url}'],
    'swoop-16': ['{swoop}', '-q', '-k', '-n', '16', '-o', 'out', '{url}'],
    'curl': ['curl', '-q', '-s', '-f', '-k', '-o', 'out', '{url}'],
    'wget': ['wget', '--no-config', '-q', '--no-check-certificate', '-O', 'out', '{url}'],
    'aria2c-16': ['aria2c', '-q', '--no-conf', '--check-certificate=false', '-x', '16', '-s', '16', '-k', '1M',
                  '--file-allocation=falloc', '-o', 'out', '{url}'],
    'axel-16': ['axel', '-q', '-k', '-n', '16', '-o', 'out', '{url}'],
    'lftp-16': ['lftp', '--norc', '-c', "set ssl:verify-certificate no; pget -n 16 '{url}' -o out"],
}
NGINX = '''
user root;
daemon off;
worker_processes 1;
pid {0}/nginx.pid;
error_log {0}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  client_body_temp_path {0}/body;
  proxy_temp_path {0}/proxy;
  fastcgi_temp_path {0}/fastcgi;
  uwsgi_temp_path {0}/uwsgi;
  scgi_temp_path {0}/scgi;
  server {{
    listen {1}:80;
    listen {1}:443 ssl;
    ssl_certificate {0}/certificate.pem;
    ssl_certificate_key {0}/key.pem;
    root {0}/served;
  }}
}}
'''


def call(*words):
    """Runs a command, and ends everything with its output if it fails."""
    result = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)
    if result.returncode != 0:
        sys.exit(f'lab: {" ".join(words)}: {result.stdout.strip()}')
    return result.stdout


class Lab:
    """The folder, the namespaces and the processes; gone at the end of a `with`."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix='swoop-lab.', dir='/dev/shm')
        self.processes = []
        self.namespaces = []

    def __enter__(self):
        try:
            self.prepare()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.stop_processes()
        for name in self.namespaces:
            subprocess.run(['ip', 'netns', 'delete', name], check=False)
        shutil.rmtree(self.folder)

    def prepare(self):
        call('cc', '-O2', '-o', f'{self.folder}/link', f'{HERE}/link.c')
        call('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=lab',
             '-keyout', f'{self.folder}/key.pem', '-out', f'{self.folder}/certificate.pem')
        with open(f'{self.folder}/nginx.conf', 'w') as file:
            file.write(NGINX.format(self.folder, ADDRESSES[SERVER]))
        os.mkdir(f'{self.folder}/served')
        for name in ADDRESSES:
            # What a killed run has left.
            subprocess.run(['ip', 'netns', 'delete', name], stderr=subprocess.DEVNULL, check=False)
            call('ip', 'netns', 'add', name)
            self.namespaces.append(name)
            call('ip', '-n', name, 'link', 'set', 'lo', 'up')
            # No run is to learn from those before it.
            call('ip', 'netns', 'exec', name, 'sysctl', '-qw', 'net.ipv4.tcp_no_metrics_save=1')

    def start(self, *words, **options):
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, **options)
        self.processes.append(process)
        return process

    def stop_processes(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
        self.processes.clear()

    def set_up(self, link, mib):
        """Joins the namespaces by a link and serves a file; returns the link's process."""
        process = self.start(f'{self.folder}/link', SERVER, CLIENT, *link.split(), stdout=subprocess.PIPE, text=True)
        if process.stdout.readline() != 'ready\n':
            sys.exit('lab: the link does not start')
        for name, address in ADDRESSES.items():
            call('ip', '-n', name, 'address', 'add', f'{address}/30', 'dev', 'link')
            call('ip', '-n', name, 'link', 'set', 'dev', 'link', 'up', 'txqueuelen', '10000')
        self.make_file(mib)
        nginx = shutil.which('nginx') or '/usr/sbin/nginx'
        self.start('ip', 'netns', 'exec', SERVER, nginx, '-p', self.folder, '-c', f'{self.folder}/nginx.conf',
                   '-e', f'{self.folder}/error.log')
        self.wait_for_server()
        return process

    def make_file(self, mib):
        path = f'{self.folder}/served/{mib}.bin'
        if not os.path.exists(path):
            with open(path, 'wb') as file:
                for _ in range(mib):
                    file.write(os.urandom(1 << 20))

    def wait_for_server(self):
        for _ in range(50):
            listening = call('ip', 'netns', 'exec', SERVER, 'ss', '-Hltn')
            if f'{ADDRESSES[SERVER]}:443' in listening:
                return
            time.sleep(0.1)
        sys.exit('lab: nginx does not start: ' + open(f'{self.folder}/error.log').read())

    def measure(self, command, mib):
        """Seconds of one run, or None if it failed."""
        out = f'{self.folder}/out'
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out)
        environment = {name: value for name, value in os.environ.items() if not name.lower().endswith('_proxy')}
        begin = time.monotonic()
        environment['XDG_CONFIG_HOME'] = out
        process = self.start('ip', 'netns', 'exec', CLIENT, *command, cwd=out, env=environment,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = None
        took = time.monotonic() - begin
        self.processes.remove(process)
        is_right = code == 0 and os.path.exists(f'{out}/out') and filecmp.cmp(
            f'{out}/out', f'{self.folder}/served/{mib}.bin', shallow=False)
        return took if is_right else None


def read_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog='scenarios:\n' + '\n'.join(f'  {name:8} {mib:3} MiB, {scheme}: {about}'
                                          for name, (_, mib, scheme, about) in SCENARIOS.items()))
    parser.add_argument('--rounds', type=int, default=3, metavar='N', help='(default 3)')
    parser.add_argument('--only', default='', metavar='WORDS',
                        help='scenarios and contenders, with commas (default all): ' + ', '.join(CONTENDERS))
    parser.add_argument('--swoop', metavar='FILE', help='the binary to measure, instead of building it')
    options = parser.parse_args()
    words = [word for word in options.only.split(',') if word]
    unknown = [word for word in words if word not in SCENARIOS and word not in CONTENDERS]
    if unknown or options.rounds < 1:
        parser.error(f'not understood: {", ".join(unknown) or options.rounds}')
    options.scenarios = [name for name in SCENARIOS if name in words] or list(SCENARIOS)
    options.contenders = [name for name in CONTENDERS if name in words] or list(CONTENDERS)
    return options


def build():
    call('swift', 'build', '--package-path', ROOT, '-c', 'release', '--product', 'swoop')
    return f'{ROOT}/.build/release/swoop'


def is_installed(contender):
    program = CONTENDERS[contender][0]
    if program == '{swoop}' or shutil.which(program):
        return True
    print(f'lab: without {program}, which is not installed', file=sys.stderr)
    return False


def show(name, times):
    """The table of one scenario: `times` has a list for each contender, with None for a failed run."""
    _, mib, scheme, about = SCENARIOS[name]
    print(f'\n{name}: {mib} MiB, {scheme}, {about}')
    medians = {contender: statistics.median(runs) for contender, runs in times.items() if None not in runs}
    peers = [median for contender, median in medians.items() if not contender.startswith('swoop')]
    for contender, runs in times.items():
        if contender not in medians:
            print(f'  {contender:10}   failed, or took over {PATIENCE} s, in {runs.count(None)} of {len(runs)}')
            continue
        ratio = f'   {medians[contender] / min(peers):5.2f} x the best peer' if peers else ''
        print(f'  {contender:10} {medians[contender]:8.2f}   {min(runs):6.2f} to {max(runs):6.2f}{ratio}')
    sys.stdout.flush()


def run_scenario(lab, name, options):
    link, mib, scheme, _ = SCENARIOS[name]
    process = lab.set_up(link, mib)
    url = f'{scheme}://{ADDRESSES[SERVER]}/{mib}.bin'
    times = {contender: [] for contender in options.contenders}
    for number in range(options.rounds):
        # Each round begins with another one.
        first = number % len(options.contenders)
        for contender in options.contenders[first:] + options.contenders[:first]:
            # Whose every fourth connection is slow counts from here.
            process.send_signal(signal.SIGUSR1)
            command = [word.format(swoop=options.swoop, url=url) for word in CONTENDERS[contender]]
            times[contender].append(lab.measure(command, mib))
    lab.stop_processes()
    show(name, times)
    return all(None not in runs for runs in times.values())


def main():
    options = read_options()
    if os.geteuid() != 0:
        sys.exit('lab: needs root, for the network namespaces')
    options.contenders = [contender for contender in options.contenders if is_installed(contender)]
    options.swoop = os.path.abspath(options.swoop or build())
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    lock = open(LOCK, 'w')
    fcntl.flock(lock, fcntl.LOCK_EX)
    control = open('/proc/sys/net/ipv4/tcp_congestion_control').read().strip()
    print(f'Seconds, medians of {options.rounds} and their ranges; {os.cpu_count()} cores; TCP {control}')
    with Lab() as lab:
        results = [run_scenario(lab, name, options) for name in options.scenarios]
    sys.exit(0 if all(results) else 1)


if __name__ == '__main__':
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
