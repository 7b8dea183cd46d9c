// A long link between two network namespaces, for kernels without netem: rates, queues, losses and delays are made
// here, packet by packet, and TCP in both kernels does what it does on a real path.
//
//   cc -O2 -Wall -o link link.c
//   link SERVER_NAMESPACE CLIENT_NAMESPACE [name=value ...]
//
// It makes a TUN device named `link` in each namespace, says `ready`, and runs until a signal ends it. SIGUSR1 forgets
// all flows: the next connection is the first again. The values (all optional):
//
//   delay=MS       one way, in both directions
//   rate=MBIT      of the link, towards the client; with a queue before it that drops what does not fit
//   queue=MS       the length of that queue, and of that of each flow (100)
//   loss=PERCENT   of the packets towards the client, at random
//   flow=MBIT      the rate of each TCP connection, towards the client
//   every=N slow=MBIT   every Nth connection has this rate instead
//   seed=N         of the random losses (1)
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { server, client, ports = 65536, mtu = 1500 };
// The calendar: a list of packets for each 1/32 ms of the next two seconds. Within a slot they keep their order.
enum { slots = 65536, slotNs = 31250 };

// What a packet waits for: to leave its flow's queue, to arrive.
enum Stage { inFlow, inLink };

typedef struct Packet {
  struct Packet *next;
  enum Stage stage;
  int to, length;
  unsigned char bytes[mtu];
} Packet;
typedef struct { Packet *first, *last; } Slot;
// When the last packet of a queue has gone, and what a bit takes; 0 for no time at all.
typedef struct { int64_t freeAt; double nsPerBit; } Pipe;
typedef struct { Pipe pipe; bool isKnown; } Flow;

static Slot calendar[slots];
static int64_t nextSlot;  // Everything before is done.
static long waiting;
static Packet *unused;
static int device[2];

static double delayMs, rateMbit, queueMs = 100, lossPercent, flowMbit, slowMbit, every, seed = 1;
static Flow flows[ports];
static int flowCount;
static Pipe trunk;
static uint64_t randomState;
static volatile sig_atomic_t forgets;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static bool setOption(const char *word) {
  const struct { const char *name; double *value; } options[] = {
    {"delay", &delayMs}, {"rate", &rateMbit}, {"queue", &queueMs}, {"loss", &lossPercent}, {"flow", &flowMbit},
    {"slow", &slowMbit}, {"every", &every}, {"seed", &seed}};
  const char *value = strchr(word, '=');
  for (size_t i = 0; value && i < sizeof options / sizeof *options; i++) {
    size_t length = value - word;
    if (strlen(options[i].name) != length || strncmp(word, options[i].name, length)) continue;
    char *end;
    *options[i].value = strtod(value + 1, &end);
    return value[1] && !*end && *options[i].value >= 0;
  }
  return false;
}

// Makes the device in a namespace; this process stays in it until the next.
static int openDevice(const char *space) {
  char path[256];
  snprintf(path, sizeof path, "/run/netns/%s", space);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || setns(file, CLONE_NEWNET)) fail(path);
  close(file);
  struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
  strcpy(request.ifr_name, "link");
  int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tun < 0 || ioctl(tun, TUNSETIFF, &request)) fail("/dev/net/tun");
  return tun;
}

static void setRate(Pipe *pipe, double mbit) {
  *pipe = (Pipe){.nsPerBit = mbit > 0 ? 1000 / mbit : 0};
}

// When a packet that comes at `time` has gone through a pipe; negative if the queue before it is full.
static int64_t through(Pipe *pipe, int64_t time, int length) {
  if (pipe->nsPerBit == 0) return time;
  if (pipe->freeAt < time) pipe->freeAt = time;
  if (pipe->freeAt - time > queueMs * 1e6) return -1;
  return pipe->freeAt += length * 8 * pipe->nsPerBit;
}

// The flow of an IPv4 TCP packet towards the client, by the client's port; NULL for any other packet. A flow begins
// with its SYN: what connections of an earlier run still send is none.
static Flow *flowOf(const Packet *packet) {
  const unsigned char *p = packet->bytes;
  int header = (p[0] & 15) * 4;
  if (p[0] >> 4 != 4 || p[9] != 6 || packet->length < header + 20) return NULL;
  Flow *flow = &flows[p[header + 2] << 8 | p[header + 3]];
  bool isFirst = p[header + 13] & 2;
  if (isFirst && !flow->isKnown) {
    bool isSlow = every > 0 && ++flowCount % (int)every == 0;
    setRate(&flow->pipe, isSlow ? slowMbit : flowMbit);
    flow->isKnown = true;
  }
  return flow->isKnown ? flow : NULL;
}

// xorshift64, Marsaglia 2003.
static bool isLost(void) {
  randomState ^= randomState << 13;
  randomState ^= randomState >> 7;
  randomState ^= randomState << 17;
  return (randomState >> 11) * 0x1p-53 * 100 < lossPercent;
}

static void enter(Packet *packet, int64_t time) {
  int64_t number = time / slotNs;
  if (number < nextSlot) number = nextSlot;
  if (number >= nextSlot + slots) number = nextSlot + slots - 1;
  Slot *slot = &calendar[number % slots];
  packet->next = NULL;
  if (slot->first) slot->last->next = packet;
  else slot->first = packet;
  slot->last = packet;
  waiting++;
}

static void drop(Packet *packet) {
  packet->next = unused;
  unused = packet;
}

// Into the queue of its flow, if that has a rate.
static bool queueInFlow(Packet *packet, int64_t time) {
  Flow *flow = packet->to == client ? flowOf(packet) : NULL;
  if (!flow || flow->pipe.nsPerBit == 0) return false;
  packet->stage = inFlow;
  time = through(&flow->pipe, time, packet->length);
  if (time < 0) drop(packet);
  else enter(packet, time);
  return true;
}

static void queueInLink(Packet *packet, int64_t time) {
  packet->stage = inLink;
  if (packet->to == client) time = isLost() ? -1 : through(&trunk, time, packet->length);
  if (time < 0) drop(packet);
  else enter(packet, time + (int64_t)(delayMs * 1e6));
}

// Reads what a namespace sends, some packets at a time so that neither direction waits for the other.
static void readFrom(int side) {
  for (int i = 0; i < 64; i++) {
    Packet *packet = unused;
    if (packet) unused = packet->next;
    else if (!(packet = malloc(sizeof *packet))) fail("malloc");
    packet->to = 1 - side;
    packet->length = read(device[side], packet->bytes, mtu);
    if (packet->length <= 0) return drop(packet);
    int64_t time = now();
    if (!queueInFlow(packet, time)) queueInLink(packet, time);
  }
}

// A device that is down or full loses the packet, as a real one does.
static void deliver(Packet *packet) {
  if (write(device[packet->to], packet->bytes, packet->length) < 0 && errno != EAGAIN && errno != EIO &&
      errno != EINTR && errno != ENOBUFS) fail("write");
  drop(packet);
}

// Does what is due.
static void advance(int64_t time) {
  for (; nextSlot <= time / slotNs && waiting > 0; nextSlot++) {
    Slot *slot = &calendar[nextSlot % slots];
    for (Packet *packet; (packet = slot->first);) {
      slot->first = packet->next;
      waiting--;
      if (packet->stage == inFlow) queueInLink(packet, nextSlot * slotNs);
      else deliver(packet);
    }
  }
  if (waiting == 0) nextSlot = time / slotNs;
}

// When something is due; an hour away if nothing is.
static int64_t nextTime(int64_t time) {
  if (waiting == 0) return time + 3600 * 1000000000LL;
  int64_t number = nextSlot;
  while (!calendar[number % slots].first) number++;
  return number * slotNs;
}

static void forget(int signal) {
  (void)signal;
  forgets = 1;
}

int main(int count, char **words) {
  bool isUnderstood = count >= 3;
  for (int i = 3; i < count; i++) isUnderstood = isUnderstood && setOption(words[i]);
  if (!isUnderstood) {
    fputs("usage: link SERVER_NAMESPACE CLIENT_NAMESPACE [name=value ...]\n", stderr);
    return 2;
  }
  randomState = (uint64_t)seed * 0x9E3779B97F4A7C15 | 1;
  setRate(&trunk, rateMbit);
  prctl(PR_SET_TIMERSLACK, 1);
  signal(SIGUSR1, forget);
  device[server] = openDevice(words[1]);
  device[client] = openDevice(words[2]);
  nextSlot = now() / slotNs;
  puts("ready");
  fflush(stdout);
  for (;;) {
    int64_t time = now(), wait = nextTime(time) - time;
    struct timespec timeout = {wait > 0 ? wait / 1000000000 : 0, wait > 0 ? wait % 1000000000 : 0};
    struct pollfd events[] = {{device[server], POLLIN, 0}, {device[client], POLLIN, 0}};
    if (ppoll(events, 2, &timeout, NULL) < 0 && errno != EINTR) fail("ppoll");
    if (forgets) {
      forgets = 0;
      flowCount = 0;
      memset(flows, 0, sizeof flows);
    }
    readFrom(server);
    readFrom(client);
    advance(now());
  }
}
