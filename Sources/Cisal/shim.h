#ifndef SWOOP_CISAL_SHIM_H
#define SWOOP_CISAL_SHIM_H
#include <stdint.h>
#include <isa-l/crc.h>
#endif
