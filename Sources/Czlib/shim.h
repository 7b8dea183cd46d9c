#ifndef SWOOP_CZLIB_SHIM_H
#define SWOOP_CZLIB_SHIM_H
#include <zlib.h>
#endif
