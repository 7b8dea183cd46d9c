#ifndef SWOOP_CEXPAT_SHIM_H
#define SWOOP_CEXPAT_SHIM_H
#include <expat.h>
#endif
