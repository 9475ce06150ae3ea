using Pipeline.IntegrationTests.Faults.Checkers;

namespace Pipeline.IntegrationTests.Faults.Workloads;

/// <summary>Reads and replaces compare-exchange values by their indexes.</summary>
internal sealed class ExchangeWorkload(string name, FaultRun run, int seed) : Workload(name, run, seed)
{
    private const string Path = "/databases/shop/cmpxchg";
    private readonly (long Value, long Index)?[] _known = new (long, long)?[FaultHistory.Registers];

    public override async Task PrepareAsync(int leader)
    {
        for (var i = 0; i < FaultHistory.Registers; i++)
        {
            var answer = await SendAsync(
                leader,
                HttpMethod.Put,
                $"{Path}?key=exchange/{i}&index=0",
                new { Object = 0 }
            );
            if (!answer.IsDone)
                throw new InvalidOperationException(answer.Text);
        }
    }

    public override async Task ReadLastAsync(int node)
    {
        for (var i = 0; i < FaultHistory.Registers; i++)
            await ReadAsync(node, i);
    }

    protected override Task StepAsync(int node)
    {
        var register = Random.Next(FaultHistory.Registers);
        return Random.Next(2) == 0 && _known[register] is not null
            ? WriteAsync(node, register)
            : ReadAsync(node, register);
    }

    private async Task ReadAsync(int node, int register)
    {
        var began = Now;
        var answer = await SendAsync(node, HttpMethod.Get, $"{Path}?key=exchange/{register}");
        if (!answer.IsDone)
            return;
        var found = answer.Json!.Value.GetProperty("Results")[0];
        var value = found.GetProperty("Value").GetProperty("Object").GetInt64();
        _known[register] = (value, found.GetProperty("Index").GetInt64());
        Add(register, new RegisterCall(began, Now, Name, NodeName(node), null, value, CallOutcome.Done));
    }

    private async Task WriteAsync(int node, int register)
    {
        var (expected, index) = _known[register]!.Value;
        var (value, began) = (History.NextValue(), Now);
        var answer = await SendAsync(
            node,
            HttpMethod.Put,
            $"{Path}?key=exchange/{register}&index={index}",
            new { Object = value }
        );
        _known[register] = null;
        if (!answer.IsDone)
        {
            Add(register, new RegisterCall(began, Now, Name, NodeName(node), expected, value, answer.Outcome));
            return;
        }
        var isSet = answer.Json!.Value.GetProperty("Successful").GetBoolean();
        var outcome = isSet ? CallOutcome.Done : CallOutcome.Mismatched;
        Add(register, new RegisterCall(began, Now, Name, NodeName(node), expected, value, outcome));
        var now = answer.Json.Value.GetProperty("Value").GetProperty("Object").GetInt64();
        _known[register] = (now, answer.Json.Value.GetProperty("Index").GetInt64());
        if (!isSet)
            Add(register, new RegisterCall(began, Now, Name, NodeName(node), null, now, CallOutcome.Done));
    }

    private void Add(int register, RegisterCall call) => History.AddExchange(register, call);
}
