BEGIN TRANSACTION;
CREATE TABLE datasets (
	position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	"key" TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	name TEXT NOT NULL, 
	source TEXT NOT NULL, 
	reading TEXT NOT NULL, 
	declared TEXT, 
	reread TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	n_p INTEGER NOT NULL, 
	n_q INTEGER NOT NULL, 
	created TEXT NOT NULL, 
	removed TEXT, 
	files TEXT NOT NULL, 
	UNIQUE ("key")
);
INSERT INTO "datasets" VALUES(1,'tNg5A2E24pgLyrjJtFO_VA','scores','set 0 ä','{"kind": "given", "held_out": "", "clustered": false, "rows": null, "dropped": null, "chosen": ""}','{"layout": {"kind": "two columns", "p": "p", "q": "q", "score": null, "member": null, "member_value": null, "cluster": null}, "larger_is_member": true, "sampling": "unknown", "cluster_rule": "mean", "nonfinite": "keep"}',NULL,'','7e60deb90023ebe2e91378e304ac55c1d1bd71e2a81f8f5eca6131bd09bef5bd',3,3,'2026-11-25T21:33:31.147883+00:00',NULL,'["e1e3d0ba2a6a5d330a39f0fe156f5ee20db89c0aaa02a91964f6907d20c105f1"]');
INSERT INTO "datasets" VALUES(2,'7JJPxxigTSWBbuYfqseVYw','scores','set 1 ä','{"kind": "given", "held_out": "", "clustered": false, "rows": null, "dropped": null, "chosen": ""}','{"layout": {"kind": "two columns", "p": "p", "q": "q", "score": null, "member": null, "member_value": null, "cluster": null}, "larger_is_member": true, "sampling": "unknown", "cluster_rule": "mean", "nonfinite": "keep"}',NULL,'','be0b7e40e3b1ba742ef76717b7cbe305f2459e486a6e244d585a22077377b1cf',3,3,'2026-11-25T21:33:31.520114+00:00',NULL,'["4755426ce298974e6d14a435f83b0938ff8d82db8f597c9314b7bb84affcc1a1"]');
INSERT INTO "datasets" VALUES(3,'TAeQ4emOs3w3GeqM4Q8_dg','scores','set 2 ä','{"kind": "given", "held_out": "", "clustered": false, "rows": null, "dropped": null, "chosen": ""}','{"layout": {"kind": "two columns", "p": "p", "q": "q", "score": null, "member": null, "member_value": null, "cluster": null}, "larger_is_member": true, "sampling": "unknown", "cluster_rule": "mean", "nonfinite": "keep"}',NULL,'','d2dfcd64dbcead5fa4d0d97e52f5f807bc612abce1ae9ddde1df93d283e7149b',3,3,'2026-11-25T21:33:31.527617+00:00','2026-11-25T21:33:31.539159+00:00','["52ef1ed8bd3316a652449dead6592246f37d9afa6af6f76dc5f19f682e6144da"]');
CREATE TABLE files (
	sha256 TEXT NOT NULL, 
	name TEXT NOT NULL, 
	PRIMARY KEY (sha256)
);
INSERT INTO "files" VALUES('2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881','a');
CREATE TABLE settings (
	name TEXT NOT NULL, 
	value TEXT, 
	PRIMARY KEY (name)
);
INSERT INTO "settings" VALUES('current','7JJPxxigTSWBbuYfqseVYw');
CREATE TABLE states (
	position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	page TEXT NOT NULL, 
	dataset TEXT NOT NULL, 
	settings TEXT NOT NULL, 
	UNIQUE (page, dataset)
);
INSERT INTO "states" VALUES(1,'opened data','7e60deb90023ebe2e91378e304ac55c1d1bd71e2a81f8f5eca6131bd09bef5bd','{"at": "2026-11-25T21:33:31.147883+00:00"}');
INSERT INTO "states" VALUES(2,'scores','tNg5A2E24pgLyrjJtFO_VA','{"threshold": 0.30000000000000004, "note": "\u00fc"}');
INSERT INTO "states" VALUES(3,'opened data','be0b7e40e3b1ba742ef76717b7cbe305f2459e486a6e244d585a22077377b1cf','{"at": "2026-11-25T21:33:31.520114+00:00"}');
INSERT INTO "states" VALUES(4,'scores','7JJPxxigTSWBbuYfqseVYw','{"threshold": 0.30000000000000004, "note": "\u00fc"}');
INSERT INTO "states" VALUES(5,'opened data','d2dfcd64dbcead5fa4d0d97e52f5f807bc612abce1ae9ddde1df93d283e7149b','{"at": "2026-11-25T21:33:31.527617+00:00"}');
INSERT INTO "states" VALUES(6,'scores','TAeQ4emOs3w3GeqM4Q8_dg','{"threshold": 0.30000000000000004, "note": "\u00fc"}');
INSERT INTO "states" VALUES(7,'onerun','','{"upload": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('datasets',3);
INSERT INTO "sqlite_sequence" VALUES('states',7);
COMMIT;
PRAGMA user_version=1;
