BEGIN TRANSACTION;
CREATE TABLE owner_sign_ins (
	id_hash TEXT NOT NULL, 
	person TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	used DOUBLE NOT NULL, 
	agent TEXT NOT NULL, 
	PRIMARY KEY (id_hash)
);
CREATE TABLE people (
	"key" TEXT NOT NULL, 
	name TEXT NOT NULL, 
	folded TEXT NOT NULL, 
	role TEXT NOT NULL, 
	password TEXT, 
	provider TEXT, 
	subject TEXT, 
	created DOUBLE NOT NULL, 
	PRIMARY KEY ("key"), 
	UNIQUE (provider, subject), 
	UNIQUE (folded)
);
INSERT INTO "people" VALUES('342657d4be536f2e03439af53090c2ab','Ada ü','ada ü','editor',NULL,NULL,NULL,1.7956424187612233162e+09);
INSERT INTO "people" VALUES('e564d49e83791c17a7ea37935bcee629','ben','ben','editor',NULL,NULL,NULL,1.79564241877343034746e+09);
CREATE TABLE shares (
	id TEXT NOT NULL, 
	token_hash TEXT, 
	owner TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	to_kind TEXT NOT NULL, 
	to_person TEXT, 
	created DOUBLE NOT NULL, 
	expires DOUBLE, 
	revoked DOUBLE, 
	opened INTEGER NOT NULL, link TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (token_hash)
);
INSERT INTO "shares" VALUES('fuOBAuewmN0nimjn',NULL,'342657d4be536f2e03439af53090c2ab','data','a data set','person','e564d49e83791c17a7ea37935bcee629',1.79564241877647900579e+09,NULL,NULL,0,NULL);
INSERT INTO "shares" VALUES('5ihp0TFrSLATMJZ6','bd08764c066b9b1a66aa91d67ccbdf7c8c44ebac818559f67aea0c1248322487','342657d4be536f2e03439af53090c2ab','data','another','link',NULL,1.79564241878123307229e+09,1.82717841878123307235e+09,NULL,0,NULL);
CREATE TABLE sign_ins (
	id_hash TEXT NOT NULL, 
	person TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	used DOUBLE NOT NULL, 
	agent TEXT NOT NULL, 
	PRIMARY KEY (id_hash), 
	FOREIGN KEY(person) REFERENCES people ("key") ON DELETE CASCADE
);
INSERT INTO "sign_ins" VALUES('0000000000000000000000000000000000000000000000000000000000000000','e564d49e83791c17a7ea37935bcee629',1.0,2.0,'Firefox');
CREATE TABLE tickets (
	hash TEXT NOT NULL, 
	until DOUBLE NOT NULL, 
	PRIMARY KEY (hash)
);
CREATE TABLE workbench_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT workbench_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "workbench_version" VALUES('3');
CREATE INDEX ix_sign_ins_person ON sign_ins (person);
CREATE INDEX ix_shares_to_person ON shares (to_person);
CREATE INDEX ix_shares_owner ON shares (owner);
CREATE INDEX ix_shares_link ON shares (link);
COMMIT;
PRAGMA user_version=0;
