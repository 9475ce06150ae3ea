using Pipeline.Database;
using Pipeline.Subscriptions;

namespace Pipeline.Server.Settings;

/// <summary>
/// A database that another part of the process has open: the server serves it, but neither deletes nor closes it.
/// </summary>
/// <param name="Database">The database.</param>
/// <param name="Subscriptions">Its subscriptions; there is only one host per database.</param>
public sealed record SharedDatabase(DocumentDatabase Database, SubscriptionHost Subscriptions);
