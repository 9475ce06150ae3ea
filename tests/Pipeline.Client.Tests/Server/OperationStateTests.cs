using System.Text.Json;
using Pipeline.Server.Operations;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>The state of an operation that ends while it is asked for.</summary>
public sealed class OperationStateTests
{
    [Fact]
    public async Task An_operation_that_is_done_has_its_total()
    {
        var operation = Begin();
        var stops = false;
        var ending = Task.Run(() =>
        {
            while (!Volatile.Read(ref stops))
            {
                operation.Progress = (2, 2);
                operation.End(OperationStatus.Completed);
                operation.Dispose();
                Volatile.Write(ref operation, Begin());
            }
        });
        for (var i = 0; i < 100_000; i++)
        {
            var state = StateOf(Volatile.Read(ref operation));
            if (state.GetProperty("Status").GetString() == "Completed")
            {
                Assert.Equal(2, state.GetProperty("Progress").GetProperty("Processed").GetInt32());
                Assert.Equal(2, state.GetProperty("Result").GetProperty("Total").GetInt32());
            }
            else
            {
                Assert.Equal(JsonValueKind.Null, state.GetProperty("Result").ValueKind);
            }
        }
        Volatile.Write(ref stops, true);
        await ending;
        operation.Dispose();
    }

    private static Operation Begin() => new(1, TimeProvider.System, static _ => { });

    private static JsonElement StateOf(Operation operation)
    {
        using var text = new MemoryStream();
        using (var json = new Utf8JsonWriter(text))
            OperationWire.Write(json, operation);
        return JsonSerializer.Deserialize<JsonElement>(text.ToArray());
    }
}
