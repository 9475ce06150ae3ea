// RavenDB's own Node.js client against our server, used as its documentation shows. The variables are in kit.mjs.
import './documents.mjs';
import './subscriptions.mjs';
import './features.mjs';
