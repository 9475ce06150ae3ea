using System.Text.Json;

namespace Pipeline.Client.Transport;

/// <summary>The states of subscriptions as the server's JSON has them.</summary>
internal static class SubscriptionStates
{
    /// <summary>Reads the answer. Properties that this version does not know are left out.</summary>
    public static IReadOnlyList<SubscriptionState> Read(ReadOnlySpan<byte> answer)
    {
        var reader = new Utf8JsonReader(answer);
        using var json = JsonDocument.ParseValue(ref reader);
        return [.. json.RootElement.GetProperty("Results").EnumerateArray().Select(Read)];
    }

    private static SubscriptionState Read(JsonElement state) =>
        new()
        {
            Name = AnswerReader.Text(state, "Name") ?? "",
            Query = AnswerReader.Text(state, "Query"),
            Filter = AnswerReader.Text(state, "Filter"),
            IsPaused = state.TryGetProperty("IsPaused", out var paused) && paused.ValueKind == JsonValueKind.True,
            Backlog = Number(state, "Backlog"),
            BacklogAge = TimeSpan.FromMilliseconds(Number(state, "BacklogAgeMs")),
            InFlight = Number(state, "InFlight"),
            Retrying = Number(state, "Retrying"),
            Parked = Number(state, "Parked"),
            Acknowledged = Number(state, "Acknowledged"),
            LastAcknowledged =
                state.TryGetProperty("LastAcknowledged", out var time) && time.ValueKind == JsonValueKind.String
                    ? time.GetDateTimeOffset()
                    : null,
            Workers = state.TryGetProperty("Workers", out var workers)
                ? [.. workers.EnumerateArray().Select(w => w.GetString() ?? "")]
                : [],
            LastError = AnswerReader.Text(state, "LastError"),
        };

    private static long Number(JsonElement state, string name) =>
        state.TryGetProperty(name, out var value) && value.TryGetInt64(out var number) ? number : 0;
}
