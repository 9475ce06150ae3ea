using Pipeline.Client;
using Pipeline.Hosting;

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.Services.AddPipeline("pipeline.yaml");
builder.Services.AddHealthChecks().AddPipeline();

WebApplication app = builder.Build();

app.MapPost(
    "/orders",
    async (Order order, IDocumentSession session, CancellationToken cancellationToken) =>
    {
        session.Store(order);
        await session.SaveChangesAsync(cancellationToken);
        return Results.Created($"/{order.Id}", order);
    }
);

app.MapGet(
    "/orders/{number}",
    async (string number, IDocumentSession session, CancellationToken cancellationToken) =>
        await session.LoadAsync<Order>($"orders/{number}", cancellationToken) is { } order
            ? Results.Ok(order)
            : Results.NotFound()
);

app.MapHealthChecks("/health");

// Studio is at /pipeline/. It answers only this machine until you add RequireAuthorization().
app.MapPipeline("/pipeline");

app.Run();

internal sealed class Order
{
    public string? Id { get; set; }
    public required string Customer { get; set; }
    public decimal Total { get; set; }
}
