using System.Text.Json;

namespace Pipeline.Hosting.Cluster;

/// <summary>Reads the error from a worker's answer, so that people see its sentence and not the JSON around it.</summary>
internal static class AnswerError
{
    /// <summary>
    /// The error in an answer's body, null if another program sent it; and whether the worker's configuration has
    /// errors, which then follow line by line.
    /// </summary>
    public static (string? Text, bool HasFaults) Read(string body)
    {
        try
        {
            using var json = JsonDocument.Parse(body);
            if (
                json.RootElement.ValueKind != JsonValueKind.Object
                || !(
                    json.RootElement.TryGetProperty("error", out var error)
                    || json.RootElement.TryGetProperty("Message", out error)
                )
                || error.ValueKind != JsonValueKind.String
            )
            {
                return (null, false);
            }

            return json.RootElement.TryGetProperty("faults", out var faults) && faults.ValueKind == JsonValueKind.Array
                ? (
                    $"{error.GetString()}:\n{string.Join('\n', faults.EnumerateArray().Select(f => f.GetString()))}",
                    true
                )
                : (error.GetString(), false);
        }
        catch (JsonException)
        {
            return (null, false);
        }
    }
}
