internal import Glibc

exit(Command.run())
