// What Swift cannot call by itself: variadic functions and macros with casts.
#pragma once
#include <sqlite3.h>

// For databases that others wrote: no views, no triggers, no functions called by the schema, no way to damage the file
// through SQL. Unknown settings of older SQLites are refused one by one and do no harm.
static inline void foldic_sqlite_distrust(sqlite3 *database) {
  int ignored;
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, &ignored);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &ignored);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, &ignored);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, &ignored);
}

// SQLITE_TRANSIENT: SQLite copies the bytes before it returns.
static inline int foldic_sqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_text(statement, index, (const char *)bytes, count, SQLITE_TRANSIENT);
}

static inline int foldic_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
