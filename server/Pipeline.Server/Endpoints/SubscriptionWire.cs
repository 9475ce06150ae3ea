using System.Globalization;
using System.Text.Json;
using Pipeline.Documents;
using Pipeline.Server.Answers;
using Pipeline.Server.Errors;
using Pipeline.Subscriptions;

namespace Pipeline.Server.Endpoints;

/// <summary>Subscriptions in the clients' form.</summary>
internal static class SubscriptionWire
{
    private const long SafeInteger = (1L << 53) - 1;

    /// <summary>A client's request; omitted properties are null.</summary>
    public sealed record Asked(
        string? Name,
        long? Id,
        string? Query,
        bool? Disabled,
        SubscriptionStart? Start,
        bool CreatesNew
    );

    /// <summary>Parses <c>{ Name, Id, Query, ChangeVector, Disabled, CreateNew }</c>.</summary>
    /// <exception cref="BadRequestException">The body is invalid.</exception>
    public static Asked Read(JsonElement body)
    {
        if (body.ValueKind != JsonValueKind.Object)
            throw new BadRequestException("a subscription is an object with 'Query'");
        return new Asked(
            Text(body, "Name"),
            body.TryGetProperty("Id", out var id)
            && id.ValueKind == JsonValueKind.Number
            && id.TryGetInt64(out var number)
            && number > 0
                ? number
                : null,
            Text(body, "Query"),
            body.TryGetProperty("Disabled", out var disabled)
            && disabled.ValueKind is JsonValueKind.True or JsonValueKind.False
                ? disabled.GetBoolean()
                : null,
            Start(Text(body, "ChangeVector")),
            body.TryGetProperty("CreateNew", out var creates) && creates.ValueKind == JsonValueKind.True
        );
    }

    /// <summary>Writes a subscription's state.</summary>
    public static void Write(Utf8JsonWriter json, SubscriptionStatus status, DatabaseId database)
    {
        json.WriteStartObject();
        WriteState(json, status, database);
        json.WriteEndObject();
    }

    /// <summary>Writes a subscription's state into an object already begun.</summary>
    public static void WriteState(Utf8JsonWriter json, SubscriptionStatus status, DatabaseId database)
    {
        json.WriteNumber("SubscriptionId", Id(status.Name));
        json.WriteString("SubscriptionName", status.Name);
        json.WriteString("Query", Query(status.Definition));
        json.WriteString(
            "ChangeVectorForNextBatchStartingPoint",
            status.Position == 0 ? null : ChangeVector.Format(status.Position, database)
        );
        json.WriteNull("MentorNode");
        json.WriteString("NodeTag", "A");
        json.WriteString(
            "LastBatchAckTime",
            status.LastAcknowledged is { } acknowledged ? JsonAnswer.Time(acknowledged) : null
        );
        json.WriteString(
            "LastClientConnectionTime",
            status.LastConnected is { } connected ? JsonAnswer.Time(connected) : null
        );
        json.WriteBoolean("Disabled", status.Definition.IsPaused);
    }

    /// <summary>The number of a name, which never changes: FNV-1a, limited to JavaScript's exact integers.</summary>
    public static long Id(string name)
    {
        var hash = 14695981039346656037UL;
        foreach (var c in name.ToLowerInvariant())
            hash = (hash ^ c) * 1099511628211UL;
        return Math.Max(1, (long)(hash & SafeInteger));
    }

    /// <summary>Finds a subscription by number.</summary>
    /// <exception cref="SubscriptionException">No subscription has the number.</exception>
    public static SubscriptionStatus Find(SubscriptionHost host, long id)
    {
        var name = host.Names().FirstOrDefault(n => Id(n) == id);
        return name is null
            ? throw new SubscriptionException(
                id.ToString(CultureInfo.InvariantCulture),
                SubscriptionProblem.NotFound,
                string.Create(CultureInfo.InvariantCulture, $"There is no subscription with the id {id}.")
            )
            : host.GetStatus(name)[0];
    }

    /// <summary>The first number that is not a subscription's name.</summary>
    public static string FreeName(SubscriptionHost host)
    {
        var names = host.Names().ToHashSet(StringComparer.OrdinalIgnoreCase);
        for (var number = 1; ; number++)
        {
            var name = number.ToString(CultureInfo.InvariantCulture);
            if (!names.Contains(name))
                return name;
        }
    }

    private static string Query(SubscriptionDefinition definition) =>
        definition.Query
        ?? $"from {(definition.Collections is { } collections ? string.Join(", ", collections) : "@all_docs")}{(definition.Filter is null ? "" : $" // where {definition.Filter}")}";

    private static SubscriptionStart? Start(string? text) =>
        text switch
        {
            null or "DoNotChange" => null,
            "LastDocument" => SubscriptionStart.End,
            "BeginningOfTime" => SubscriptionStart.Beginning,
            _ => ChangeVector.TryParse(text, out var position)
                ? SubscriptionStart.After(position)
                : throw new BadRequestException(
                    $"'{text}' is not a starting point; use LastDocument, BeginningOfTime or a change vector of this database"
                ),
        };

    private static string? Text(JsonElement body, string name) =>
        body.TryGetProperty(name, out var value)
        && value.ValueKind == JsonValueKind.String
        && value.GetString() is { Length: > 0 } text
            ? text
            : null;
}
