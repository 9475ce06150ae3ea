using System.Text.Json;

namespace Consumers;

/// <summary>A message as a consumer got it.</summary>
/// <param name="Source">CloudEvents <c>source</c>: which task of which database.</param>
/// <param name="Id">CloudEvents <c>id</c>: the same whenever the same change is sent again.</param>
/// <param name="Type">CloudEvents <c>type</c>.</param>
/// <param name="Subject">The document's id.</param>
/// <param name="Body">The body; <see cref="JsonValueKind.Undefined"/> for a tombstone.</param>
public sealed record ReceivedMessage(string Source, string Id, string Type, string Subject, JsonElement Body);
