using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Server.Answers;
using Pipeline.Storage;

namespace Pipeline.Server.Operations;

/// <summary>An operation's state in the clients' form.</summary>
internal static class OperationWire
{
    /// <summary>Writes an operation's state.</summary>
    public static void Write(Utf8JsonWriter json, Operation operation)
    {
        // First: the operation may end while this reads it.
        var status = operation.Status;
        var (total, processed) = operation.Progress;
        json.WriteStartObject();
        json.WriteString("Status", status.ToString());
        json.WriteStartObject("Progress");
        json.WriteNumber("Total", total);
        json.WriteNumber("Processed", processed);
        json.WriteEndObject();
        json.WritePropertyName("Result");
        if (status != OperationStatus.InProgress && operation.Error is { } error)
        {
            json.WriteStartObject();
            json.WriteString("Type", ErrorAnswer.TypeOf(error));
            json.WriteString("Message", error.Message);
            json.WriteString("Error", $"{ErrorAnswer.TypeOf(error)}: {error.Message}");
            json.WriteNumber(
                "StatusCode",
                error is DiskFullException ? ErrorAnswer.StatusOf(error) : StatusCodes.Status500InternalServerError
            );
            json.WriteEndObject();
        }
        else if (status == OperationStatus.Completed)
        {
            json.WriteStartObject();
            json.WriteNumber("Total", total);
            json.WriteStartArray("Details");
            json.WriteEndArray();
            json.WriteEndObject();
        }
        else
        {
            json.WriteNullValue();
        }
        json.WriteEndObject();
    }
}
