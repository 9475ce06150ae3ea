using System.Text.Json;

namespace Consumers;

/// <summary>A message that a consumer received.</summary>
/// <param name="Source">CloudEvents <c>source</c>: names the database and the task.</param>
/// <param name="Id">CloudEvents <c>id</c>: the same each time the same change is sent.</param>
/// <param name="Type">CloudEvents <c>type</c>.</param>
/// <param name="Subject">The document's id.</param>
/// <param name="Body">The body; <see cref="JsonValueKind.Undefined"/> for a tombstone.</param>
public sealed record ReceivedMessage(string Source, string Id, string Type, string Subject, JsonElement Body);
