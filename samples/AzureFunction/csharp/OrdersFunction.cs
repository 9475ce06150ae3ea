using Microsoft.Azure.Functions.Worker;
using Microsoft.Extensions.Logging;

namespace AzureFunction;

/// <summary>The function: called by the host for each message of the queue <c>orders</c>.</summary>
public sealed partial class OrdersFunction(OrderHandler handler, ILogger<OrdersFunction> logger)
{
    [Function("orders")]
    public async Task RunAsync([QueueTrigger("orders")] string message, CancellationToken cancellationToken)
    {
        var handled = await handler.HandleAsync(message, cancellationToken);
        if (handled.IsNew)
            LogHandled(handled.Order);
        else
            LogRepeat(handled.EventId);
    }

    [LoggerMessage(1, LogLevel.Information, "{Order} is handled")]
    private partial void LogHandled(string order);

    [LoggerMessage(2, LogLevel.Information, "{EventId} came again and is left out")]
    private partial void LogRepeat(string eventId);
}
