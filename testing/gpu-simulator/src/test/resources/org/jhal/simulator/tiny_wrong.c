// A face that does not compile.
#error "on purpose"
